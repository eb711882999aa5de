# Writes OUTPUT: a C++ source with the text of page.js (kPageScript) and page.css (kPageStyle) of FOLDER.
file(READ ${FOLDER}/page.js page)
file(READ ${FOLDER}/page.css style)
file(WRITE ${OUTPUT} "#include \"preprocess/report/page_text.h\"\nnamespace abut::preprocess {\nconst char* const kPageScript = R\"~page~(${page})~page~\";\nconst char* const kPageStyle = R\"~page~(${style})~page~\";\n}\n")
