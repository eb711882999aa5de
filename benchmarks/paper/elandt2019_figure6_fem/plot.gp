# gnuplot -c plot.gp figure6.csv figure6.png
set datafile separator ","
set terminal pngcairo size 800,500
set output ARG2
set xlabel "depth from first touch / thickness"; set ylabel "mean pressure / modulus"
set key top left
plot for [a in "0 0.166 0.333"] ARG1 using ($2==real(a)?$1:1/0):3 with linespoints pt 7 title "finite elements, amplitude ".a, \
     for [a in "0 0.166 0.333"] ARG1 using ($2==real(a)?$1:1/0):5 with lines dt 2 title "pressure field, fitted law, ".a, \
     for [a in "0 0.166 0.333"] ARG1 using ($2==real(a)?$1:1/0):4 with lines dt 3 title "pressure field, linear law, ".a
