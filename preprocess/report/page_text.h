#pragma once

namespace abut::preprocess {

// The contents of page.js and page.css.
extern const char* const kPageScript;
extern const char* const kPageStyle;

}  // namespace abut::preprocess
