# gnuplot -c plot.gp figure5.csv figure5.png
set datafile separator ","
set terminal pngcairo size 700,600
set output ARG2
set size ratio -1
set cblabel "shift"
plot ARG1 using 4:5:(2*sqrt($6)):1 with points pt 7 ps variable palette notitle
