# gnuplot -c convergence.gp CSV PNG: stiffness against the number of tetrahedra, from
#   volumes_benchmark convergence > CSV
set datafile separator ","
set terminal pngcairo size 900,560 font "sans,11"
set output ARG2
set logscale x
set xrange [300:70000]
set xlabel "tetrahedra"
set ylabel "stiffness of the field, of that at the finest level"
set yrange [0.8:1.1]
set key bottom right
set grid
set arrow from 6000, graph 0 to 6000, graph 1 nohead dashtype 2 linecolor "gray40"
set label "default" at 6200, 0.815
set object 1 rectangle from graph 0, first 0.97 to graph 1, first 1.03 behind fillcolor "gray92" fillstyle noborder
name(i) = system(sprintf("tail -n +2 %s | cut -d, -f1 | uniq | sed -n %dp", ARG1, i))
count = int(system(sprintf("tail -n +2 %s | cut -d, -f1 | uniq | wc -l", ARG1)))
rows(i) = sprintf("< grep '^%s,' %s", name(i), ARG1)
finest(i) = real(system(sprintf("grep '^%s,' %s | tail -1 | cut -d, -f4", name(i), ARG1)))
plot for [i=1:count] rows(i) using 3:($4 / finest(i)) with linespoints linewidth 1.5 pointtype i title name(i)
