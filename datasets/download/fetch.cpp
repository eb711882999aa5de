#include "datasets/download/fetch.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "datasets/download/address.h"
#include "datasets/download/disk.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::datasets {
namespace {

namespace fs = std::filesystem;

constexpr long kConnectSeconds = 20;
constexpr long kStallSpeed = 1024;  // bytes per second; a transfer that stays slower is stalled
constexpr long kMaxRedirects = 10;
// Pause before the second try; each further one is twice as long, up to the longest.
constexpr std::chrono::milliseconds kFirstPause(500), kLongestPause(60'000);
constexpr std::chrono::milliseconds kNap(100);  // interval at which a pause checks for signals

fs::path tag_file(const fs::path& file) { return file.string() + ".tag"; }

// Removes the number with which `text` begins and returns it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The length of a file from the part `range` of a response (bytes FIRST-LAST/LENGTH [RFC 9110, 14.4]); the
// end of the part if the length is unknown (*). Nothing for a part that does not begin at `first`.
std::optional<std::uint64_t> length_by(std::string_view range, std::uint64_t first) {
  const std::string begin = fmt::format("bytes {}-", first);
  if (!range.starts_with(begin)) return std::nullopt;
  range.remove_prefix(begin.size());
  const std::optional<std::uint64_t> last = take_number(range);
  if (!last || *last < first || !range.starts_with('/')) return std::nullopt;
  range.remove_prefix(1);
  if (range == "*") return *last + 1;
  const std::optional<std::uint64_t> length = take_number(range);
  return length && range.empty() && *length > *last ? length : std::nullopt;
}

// The state and result of one transfer. libcurl calls its members, so that they must not throw.
struct Transfer {
  CURL* curl = nullptr;
  fs::path file;  // if empty, the body goes to `text`
  std::string text;
  std::uint64_t from = 0, bytes = 0, max_bytes = 0;
  std::string tag;  // of the content of the first `from` bytes
  const FetchProgress* progress = nullptr;
  std::FILE* out = nullptr;
  std::string etag, date;  // of the current response
  std::string content_range;
  std::optional<std::uint64_t> length;  // of the whole file, from a response with a part of it
  bool opened = false, too_large = false, stopped = false, wrong_part = false;
  int write_error = 0;

  ~Transfer() {
    if (out != nullptr) std::fclose(out);
  }

  long status() const {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  // Whether a partial response belongs to the content that `tag` identifies. It has an ETag if the whole had
  // one, but may omit the date [RFC 9110, 15.3.7].
  bool has_same_content() const {
    return etag == tag || date == tag || (etag.empty() && date.empty() && !tag.starts_with('"'));
  }

  // Whether the server's 416 means that the file is already complete with the same content [RFC 9110,
  // 15.5.17]; such a response need not repeat the tag.
  bool is_whole() const {
    const std::string& now = tag.starts_with('"') ? etag : date;
    return from > 0 && status() == 416 && content_range == fmt::format("bytes */{}", from) &&
           (now.empty() || now == tag);
  }

  // Opens the file for the body: appends if the server continues from its end, else starts anew.
  bool open() {
    const bool goes_on = status() == 206;
    if (goes_on && from > 0 && has_same_content()) length = length_by(content_range, from);
    wrong_part = goes_on && !length;
    if (wrong_part) return false;
    bytes = goes_on ? from : 0;
    opened = true;
    if (file.empty()) return true;
    out = std::fopen(file.c_str(), goes_on ? "ab" : "wb");
    if (out == nullptr) write_error = errno;
    if (out != nullptr && !goes_on) write_tag();
    return out != nullptr;
  }

  // Stores what identifies the same content in a later run; a weak tag does not guarantee it [RFC 9110,
  // 8.8.1].
  void write_tag() const {
    const std::string& kept = !etag.empty() && !etag.starts_with("W/") ? etag : date;
    std::error_code ignored;
    fs::remove(tag_file(file), ignored);
    if (kept.empty()) return;
    if (std::FILE* file_of_tag = std::fopen(tag_file(file).c_str(), "wb")) {
      std::fwrite(kept.data(), 1, kept.size(), file_of_tag);
      std::fclose(file_of_tag);
    }
  }

  std::size_t write(const char* data, std::size_t size) {
    if (status() >= 300) return 0;  // the body of an error is not used
    if (!opened && !open()) return 0;
    bytes += size;
    too_large = bytes > max_bytes;
    wrong_part = length && bytes > *length;
    if (too_large || wrong_part) return 0;
    if (file.empty()) {
      text.append(data, size);
      return size;
    }
    if (std::fwrite(data, 1, size, out) == size) return size;
    write_error = errno;
    return 0;
  }

  void header(std::string_view line) {
    const auto value_of = [&](std::string_view name) -> std::optional<std::string> {
      if (line.size() < name.size() ||
          !std::equal(name.begin(), name.end(), line.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); }))
        return std::nullopt;
      std::string_view value = line.substr(name.size());
      while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front())))
        value.remove_prefix(1);
      while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) value.remove_suffix(1);
      return std::string(value);
    };
    if (line.starts_with("HTTP/")) etag = date = content_range = "";  // a redirect: the next response begins
    if (const auto value = value_of("etag:")) etag = *value;
    if (const auto value = value_of("last-modified:")) date = *value;
    if (const auto value = value_of("content-range:")) content_range = *value;
  }
};

std::size_t on_body(char* data, std::size_t, std::size_t size, void* transfer) {
  return static_cast<Transfer*>(transfer)->write(data, size);
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* transfer) {
  static_cast<Transfer*>(transfer)->header({data, size});
  return size;
}

int on_progress(void* data, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(data);
  if (now > 0 && static_cast<std::uint64_t>(now) > transfer.max_bytes) transfer.too_large = true;
  const std::uint64_t first = transfer.out != nullptr && transfer.status() == 206 ? transfer.from : 0;
  transfer.stopped =
      !(*transfer.progress)(transfer.bytes, total > 0 ? first + static_cast<std::uint64_t>(total) : 0);
  return transfer.stopped || transfer.too_large ? 1 : 0;
}

struct CloseCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};

CURL* handle() {
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  thread_local const std::unique_ptr<CURL, CloseCurl> curl(global == CURLE_OK ? curl_easy_init() : nullptr);
  if (!curl) throw IoError("libcurl cannot be started");
  curl_easy_reset(curl.get());  // keeps its connections
  return curl.get();
}

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

void prepare(CURL* curl, const std::string& address, const FetchOptions& options, Transfer& transfer,
             std::array<char, CURL_ERROR_SIZE>& words) {
  curl_easy_setopt(curl, CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "abut-datasets");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_https(address) ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, kStallSpeed);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(options.stall_seconds)));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
}

bool unreachable(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_COULDNT_CONNECT;
}

// Whether another try may succeed.
bool may_pass(CURLcode code, long status) {
  return code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT || code == CURLE_RECV_ERROR ||
         code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_HTTP2_STREAM ||
         (code == CURLE_OK && (status == 429 || status >= 500));
}

std::string reason(const Transfer& transfer, CURLcode code, const char* words, const FetchOptions& options) {
  if (transfer.stopped) return "stopped; run again to continue";
  if (transfer.too_large)
    return fmt::format("larger than {} MiB, which nothing here should be", transfer.max_bytes >> 20);
  if (transfer.wrong_part)
    return "the server, or a proxy before it, sends a part of the file that was not asked for (HTTP 206)";
  if (unreachable(code))
    return "cannot be reached; is this machine online, and does it need http_proxy or https_proxy set?";
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fmt::format("the server stands still; given up after {} of {:g} s; run again to continue",
                       counted(static_cast<std::size_t>(options.tries), "try", "tries"),
                       options.stall_seconds);
  if (code == CURLE_PARTIAL_FILE) return "the connection ends before the file does; run again to continue";
  if (code == CURLE_TOO_MANY_REDIRECTS) return fmt::format("more than {} redirects", kMaxRedirects);
  if (code != CURLE_OK) return *words != '\0' ? words : curl_easy_strerror(code);
  return fmt::format("the server refuses (HTTP {})", transfer.status());
}

// Requests to continue after the existing bytes, if the server still has the same content.
std::unique_ptr<curl_slist, FreeList> go_on(Transfer& transfer) {
  std::unique_ptr<curl_slist, FreeList> headers;
  std::error_code none;
  const std::uintmax_t size = transfer.file.empty() ? 0 : fs::file_size(transfer.file, none);
  const fs::path tag = tag_file(transfer.file);
  // A link may lead to contents that must not be sent to the server.
  if (none || size == 0 || !fs::is_regular_file(fs::symlink_status(tag, none))) return headers;
  transfer.tag = read_text(tag);
  if (transfer.tag.empty() || transfer.tag.find_first_of("\r\n") != std::string::npos) return headers;
  transfer.from = size;
  headers.reset(curl_slist_append(nullptr, ("If-Range: " + transfer.tag).c_str()));
  curl_easy_setopt(transfer.curl, CURLOPT_RANGE, fmt::format("{}-", size).c_str());
  curl_easy_setopt(transfer.curl, CURLOPT_HTTPHEADER, headers.get());
  return headers;
}

// Closes the file of a successful transfer; returns whether it is complete.
CURLcode finish(Transfer& transfer) {
  if (!transfer.opened) transfer.open();  // for an empty body
  if (transfer.out != nullptr && std::fclose(std::exchange(transfer.out, nullptr)) != 0)
    transfer.write_error = errno;
  if (transfer.write_error != 0 || transfer.wrong_part) return CURLE_WRITE_ERROR;
  return transfer.length && transfer.bytes < *transfer.length ? CURLE_PARTIAL_FILE : CURLE_OK;
}

// Returns false if stopped meanwhile.
bool pause_for(std::chrono::milliseconds pause, const Transfer& transfer) {
  const auto end = std::chrono::steady_clock::now() + pause;
  while (std::chrono::steady_clock::now() < end) {
    if (!(*transfer.progress)(transfer.bytes, 0)) return false;
    std::this_thread::sleep_for(kNap);
  }
  return true;
}

// Fetches into `file` or, if that is empty, returns the text.
std::string fetch_with_tries(const std::string& address, const fs::path& file, const FetchOptions& options,
                             const FetchProgress& progress) {
  std::chrono::milliseconds pause = kFirstPause;
  bool started_anew = false;
  for (int left = options.tries;; pause = std::min(2 * pause, kLongestPause)) {
    Transfer transfer;
    transfer.curl = handle();
    transfer.file = file;
    transfer.max_bytes = options.max_bytes;
    transfer.progress = &progress;
    std::array<char, CURL_ERROR_SIZE> words{};
    prepare(transfer.curl, address, options, transfer, words);
    const auto headers = go_on(transfer);
    CURLcode code = curl_easy_perform(transfer.curl);
    const long status = transfer.status();
    if (code == CURLE_WRITE_ERROR && status >= 300) code = CURLE_OK;  // the status is the result
    if (code == CURLE_OK && status >= 200 && status < 300) {
      code = finish(transfer);
      if (code == CURLE_OK) return std::move(transfer.text);
    }
    if (code == CURLE_OK && transfer.is_whole()) return {};
    if (transfer.from > 0 && (status == 416 || transfer.wrong_part) && !std::exchange(started_anew, true)) {
      forget(file);  // the existing bytes are useless
      continue;
    }
    if (code == CURLE_OK && (status == 404 || status == 410))
      throw NotThere(fmt::format("{}: is not there (HTTP {})", shown_address(address), status));
    const bool tries_again = --left > 0 && may_pass(code, status);
    if (tries_again && pause_for(pause, transfer)) continue;
    transfer.stopped = transfer.stopped || tries_again;
    if (transfer.write_error != 0) fail_to_write(file, transfer.write_error);
    throw IoError(shown_address(address) + ": " + reason(transfer, code, words.data(), options));
  }
}

}  // namespace

void forget(const fs::path& file) {
  std::error_code ignored;
  fs::remove_all(file, ignored);
  fs::remove_all(tag_file(file), ignored);
}

void fetch(const std::string& address, const fs::path& file, const FetchOptions& options,
           const FetchProgress& progress) {
  fetch_with_tries(address, file, options, progress);
}

std::string fetch_text(const std::string& address, FetchOptions options, const FetchProgress& progress) {
  options.max_bytes = kMaxText;
  return fetch_with_tries(address, {}, options, progress);
}

}  // namespace abut::datasets
