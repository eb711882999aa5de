#pragma once

#include <string_view>

#include "preprocess/draw/canvas.h"

// Text and bars on images, for captions.
namespace abut::preprocess {

// Fills a rectangle, clipped to the image; pixels.
void fill(Image& image, int left, int top, int width, int height, const Color& color);

// Writes lowercase letters, digits and . , : in a fixed-width font of 5 x 9 dots, each `dot` pixels wide;
// other characters leave a gap.
void label(Image& image, int left, int top, std::string_view text, const Color& color, int dot);

// Width of the text that label() writes, in pixels.
int label_width(std::string_view text, int dot);

}  // namespace abut::preprocess
