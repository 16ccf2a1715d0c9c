# Reports of small scenarios, as the program writes them today, into FOLDER.
file(MAKE_DIRECTORY ${FOLDER})
foreach(name block_on_ground block_slides box_pushed soft_finger ladder_slips painleve_two_futures rod_wall_and_rail
        pendulum_gains_energy biped_region ball_between_hard_fingers)
  execute_process(COMMAND ${STICTION} check ${SOURCE_DIR}/scenarios/${name}.yaml --json OUTPUT_FILE ${FOLDER}/${name}.json RESULT_VARIABLE code)
  if(NOT code MATCHES "^[013]$")
    message(FATAL_ERROR "${name}: exit code ${code}")
  endif()
endforeach()
