# gnuplot -c plot.gp figure3.csv figure3.png
set datafile separator ","
set terminal pngcairo size 700,450
set output ARG2
set logscale xy
set xlabel "slope of the underside, degrees"; set ylabel "difference of hydrostatics and elastic foundation"
plot ARG1 using 1:7 with linespoints notitle
