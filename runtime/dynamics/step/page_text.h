#pragma once

namespace abut::dynamics {

// Contents of the files in page/: the script that draws in a web page, and the script and style of a
// recording's page.
extern const char* const kViewScript;
extern const char* const kSceneScript;
extern const char* const kSceneStyle;

}  // namespace abut::dynamics
