# gnuplot -c plot.gp figure1.csv figure1.png
set datafile separator ","
set terminal pngcairo size 900,500
set output ARG2
set xlabel "distance from the axis / radius"; set ylabel "height / radius"; set cblabel "pressure / modulus"
set key top left
plot for [r in "0.2 1 5"] ARG1 using ($1==real(r)?$2:1/0):3:4 with points pt 7 ps 0.4 palette title "half-space / ball = ".r
