# gnuplot -c cost.gp CSV PNG: processor time and memory against the number of tetrahedra, from
#   volumes_benchmark cost > CSV
set datafile separator ","
set terminal pngcairo size 900,420 font "sans,11"
set output ARG2
set multiplot layout 1,2
set logscale xy
set xlabel "tetrahedra"
set key top left
set grid
set ylabel "processor time, s"
plot for [s in "torus cup"] sprintf("< grep '^%s,' %s", s, ARG1) using 3:4 with linespoints title s, \
     [2500:600000] x * 1e-4 with lines dashtype 2 linecolor "gray40" title "0.1 s a thousand"
set ylabel "peak memory, MiB"
plot for [s in "torus cup"] sprintf("< grep '^%s,' %s", s, ARG1) using 3:5 with linespoints title s
unset multiplot
