# gnuplot -c upright.gp mug.csv mug.png
set datafile separator ";"
set terminal pngcairo size 1000,560
set output ARG2
set logscale y
set xlabel "depth / mm"
set ylabel "sideways over normal force"
set yrange [1e-3:30]
set xrange [0:1.55]
set grid
set key outside right
rows(law) = sprintf("< awk -F';' '$1==\"%s\"' %s", law, ARG1)
plot rows("soft minimum, Gaussian") using 3:4 pt 7 ps 0.6 lc rgb "#c05020" title "soft minimum", \
     rows("soft minimum, walls") using ($3+0.02):4 pt 5 ps 0.6 lc rgb "#d0a030" title "soft minimum, walls", \
     rows("soft potential, points") using ($3+0.04):4 pt 9 ps 0.8 lc rgb "#2060b0" title "soft potential, points", \
     rows("soft potential, grid") using ($3+0.06):4 pt 11 ps 0.8 lc rgb "#40a060" title "soft potential, grid", \
     rows("exact surfaces") using ($3+0.08):4 pt 2 ps 0.5 lc rgb "#606060" title "exact surfaces", \
     0.05 with lines dt 2 lc rgb "#808080" title "0.05"
