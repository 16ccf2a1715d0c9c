# Sourced: puts the real robots of .deps/venv, where they are installed, behind those of the environment; robots_found says where.
robots_found=
for share in .deps/venv/lib/python3*/site-packages/cmeel.prefix/share; do
  [[ -d "$share/example-robot-data" ]] || continue
  robots_found=$share
  export ROS_PACKAGE_PATH=${ROS_PACKAGE_PATH:+$ROS_PACKAGE_PATH:}$share
done
