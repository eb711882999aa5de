#pragma once

namespace abut::dynamics {

// The files of page/: what draws in a web page, and what is around it in the page of a recording.
extern const char* const kViewScript;
extern const char* const kSceneScript;
extern const char* const kSceneStyle;

}  // namespace abut::dynamics
