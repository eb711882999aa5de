#pragma once

namespace abut::preprocess {

// view.js and page.js one after the other, and page.css.
extern const char* const kPageScript;
extern const char* const kPageStyle;

}  // namespace abut::preprocess
