# The headers as a consumer has them: include/abut/contact/model.h for runtime/contact/model.h, which include one
# another as "abut/contact/model.h". They are those listed here, which a user includes, and all that these include.
#   cmake -DFROM=<runtime> -DTO=<folder, made anew> -P public_headers.cmake
set(headers
    asset/build_volume asset/reader asset/writer
    body/body body/primitive_distance body/tessellation
    bvh/build bvh/traversal
    contact/contact_mesh contact/model contact/point contact/soft_potential/scratch contact/pressure_energy contact/pressure_field
    contact/soft_minimum contact/soft_potential
    core/parallel core/random core/thread_pool
    derivative/contact_pose derivative/distance_weighted derivative/estimator derivative/finite_difference derivative/gaussian derivative/gumbel
    derivative/pair_derivative derivative/polytope derivative/smooth derivative/soft_bodies derivative/zeroth_order
    distance/surface_distance
    dynamics/collide/clearance dynamics/rollout/rollout dynamics/solve/contact_solver
    dynamics/step/recording dynamics/step/scene_page dynamics/step/second_derivatives dynamics/step/simulation
    dynamics/system/robot dynamics/system/scene_file dynamics/system/system_tree
    dynamics/tree/derivatives dynamics/tree/dynamics dynamics/tree/hessian_products dynamics/tree/joint
    dynamics/tree/kinematics dynamics/tree/urdf
    math/adjoint
    proximity/distance_model proximity/overlap_volume proximity/surface_query
    ssdf/grid_field ssdf/primitives ssdf/soft_distances ssdf/ssdf
    witness/direction_cell witness/pair_query witness/pieces_query witness/separation)
list(TRANSFORM headers APPEND .h)
file(REMOVE_RECURSE ${TO})
if(EXISTS ${TO})
  message(FATAL_ERROR "${TO} holds headers of an earlier installation and cannot be removed: remove it")
endif()
while(headers)
  list(POP_FRONT headers header)
  if(EXISTS ${TO}/abut/${header})
    continue()
  endif()
  file(READ ${FROM}/${header} text)
  string(REGEX MATCHALL "#include \"runtime/[^\"]+" included "${text}")
  list(TRANSFORM included REPLACE ".*\"runtime/" "")
  list(APPEND headers ${included})
  string(REPLACE "#include \"runtime/" "#include \"abut/" text "${text}")
  file(WRITE ${TO}/abut/${header} "${text}")
endwhile()
