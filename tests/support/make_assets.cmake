# Makes OUT/005_mug.h5, OUT/001_box.h5 and OUT/006_banana.h5, coarse ones, with the program PREPROCESS.
execute_process(COMMAND ${PREPROCESS} synthetic ${OUT}/meshes COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PREPROCESS} ${OUT}/meshes ${OUT} --only 00[156]* --tets 300 --quads 400 --pieces 8
                --piece-error 0.005 --spheres 32 --quiet
                COMMAND_ERROR_IS_FATAL ANY)
