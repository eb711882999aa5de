# gnuplot -c plot.gp section7.csv section7.png
set datafile separator ","
set terminal pngcairo size 800,500
set output ARG2
set logscale xy
set xlabel "polygons of the contact surface"; set ylabel "wrench, us"
set key top left
plot for [l in "300 1000 3000"] ARG1 using ($1==real(l)?$2:1/0):3 with points pt 7 ps 0.6 title "level ".l, \
     0.6*x with lines dt 2 lc "black" title "linear"
