# gnuplot -c plot.gp figure4.csv figure4.png
set datafile separator ","
set terminal pngcairo size 1100,1400
set output ARG2
set multiplot layout 5,4 margins 0.04,0.98,0.02,0.97 spacing 0.015,0.03
set size ratio -1
set xrange [-3.6:3.6]; set yrange [-3.6:3.6]
unset colorbox; unset key; unset tics
set palette defined (-1 "#202858", -0.02 "#8890b8", 0 "#808080", 0.02 "#b89078", 1 "#603018")
set cbrange [-1:1]
rows(variant, t, kind) = sprintf("< awk -F, '$1==\"%s\" && $2==\"%s\" && $3==\"%s\"' %s", variant, t, kind, ARG1)
do for [variant in "'4 a side' '8 a side' '32 a side' 'wrong normal' 'wrong points'"] {
  do for [t in "0.01 0.25 0.5 10"] {
    set title variant.", ".t offset 0,-0.7
    plot rows(variant, t, "field") using 4:5:6 with image, \
         rows(variant, t, "point") using 4:5:(0.25*column(6)):(0.25*column(7)) with vectors lc rgb "white", \
         rows(variant, t, "zero") using 4:5:(column(6)-column(4)):(column(7)-column(5)) with vectors nohead lw 3 lc rgb "#40b0ff"
  }
}
unset multiplot
