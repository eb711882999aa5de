# Writes OUTPUT: a C++ source with the text of each of FILES, separated by commas (kManifestTexts).
string(REPLACE "," ";" files "${FILES}")
set(texts "")
foreach(file ${files})
  file(READ ${file} text)
  string(APPEND texts "R\"~json~(${text})~json~\",\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"datasets/download/manifest_text.h\"\nnamespace abut::datasets {\nnamespace {\nconst char* const kTexts[] = {\n${texts}};\n}\nconst std::span<const char* const> kManifestTexts(kTexts);\n}\n")
