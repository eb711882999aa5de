#include "datasets/download/address.h"

#include <curl/curl.h>

#include <initializer_list>
#include <memory>

#include "datasets/download/digest.h"

namespace abut::datasets {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

// Null for what libcurl does not fetch either. A missing scheme is guessed, as for a transfer.
Url parsed(const std::string& address) {
  Url url(curl_url());
  if (url && curl_url_set(url.get(), CURLUPART_URL, address.c_str(),
                          CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS) != CURLUE_OK)
    url.reset();
  return url;
}

// A part of the address; empty if it has none.
std::string part(const Url& url, CURLUPart which) {
  char* text = nullptr;
  if (!url || curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> held(text, curl_free);
  return held.get();
}

std::string without(const std::string& address, std::initializer_list<CURLUPart> parts) {
  const Url url = parsed(address);
  if (url)
    for (const CURLUPart which : parts) curl_url_set(url.get(), which, nullptr, 0);
  const std::string rest = part(url, CURLUPART_URL);
  return rest.empty() ? "an address that cannot be read" : rest;
}

}  // namespace

std::string shown_address(const std::string& address) {
  return without(
      address, {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY, CURLUPART_FRAGMENT});
}

std::string query_digest(const std::string& address) {
  if (part(parsed(address), CURLUPART_QUERY).empty()) return {};
  Sha256 digest;
  const std::string known =
      without(address, {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT});
  digest.add(std::as_bytes(std::span(known)));
  return digest.finish();
}

bool is_https(const std::string& address) { return part(parsed(address), CURLUPART_SCHEME) == "https"; }

}  // namespace abut::datasets
