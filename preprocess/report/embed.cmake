# Writes OUTPUT: a C++ source with the text of view.js and page.js (kPageScript) and page.css (kPageStyle) of FOLDER.
file(READ ${FOLDER}/view.js view)
file(READ ${FOLDER}/page.js page)
file(READ ${FOLDER}/page.css style)
file(WRITE ${OUTPUT} "#include \"preprocess/report/page_text.h\"\nnamespace abut::preprocess {\nconst char* const kPageScript = R\"~page~(${view}${page})~page~\";\nconst char* const kPageStyle = R\"~page~(${style})~page~\";\n}\n")
