# gnuplot -c force.gp figure5.csv figure5.png
set datafile separator ","
set terminal pngcairo size 1200,1150
set output ARG2
set multiplot
rows(kind) = sprintf("< awk -F, '$1==\"%s\"' %s", kind, ARG1)
set origin 0,0.66; set size 1,0.34
set xlabel "y of the small ball / m"; set ylabel "force along y / N"
set key top left
set grid
plot rows("line") using 3:5 with lines lw 2 title "soft minimum, default", \
     rows("line") using 3:7 with lines lw 2 title "soft minimum, softer", \
     rows("line") using 3:9 with lines dt 2 lw 2 title "MuJoCo", \
     rows("line") using 3:11 with lines dt 3 lw 2 title "Bullet"
unset key; unset grid
set size ratio -1
set xlabel "x / m"; set ylabel "y / m"; set xtics 0.1; set ytics 0.1; set xrange [-0.21:0.21]; set yrange [-0.21:0.21]
set palette defined (-1 "#2040a0", 0 "white", 1 "#a02020")
do for [k=0:5] {
  c = word("5 7 9 4 6 8", k+1) + 0
  set origin 0.333*(k%3), (k<3 ? 0.33 : 0.0); set size 0.333,0.33
  set title word("'soft minimum' 'softer' 'MuJoCo'", k%3+1).(k<3 ? ": force along y / N" : ": force along x / N")
  plot rows("plane") using 2:3:(column(c)) with image
}
unset multiplot
rows(kind) = sprintf("< awk -F, '$1==\"%s\"' %s", kind, ARG1)
