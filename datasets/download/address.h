#pragma once

#include <string>

// Addresses of archives, which may contain a user's name and password (https://user:word@host/) or a token in
// the query (?sig=...). What is printed and stored with a set contains neither. Parsed as libcurl does.
namespace abut::datasets {

// The address without user, password, query and fragment.
std::string shown_address(const std::string& address);

// SHA-256 of the address if it has a query, to identify the address in records; else empty. User and password
// are left out, since a short secret could be guessed from a digest.
std::string query_digest(const std::string& address);

// Whether the scheme is https, in upper or lower case.
bool is_https(const std::string& address);

}  // namespace abut::datasets
