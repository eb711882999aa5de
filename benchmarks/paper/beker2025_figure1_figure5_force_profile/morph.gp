# gnuplot -c morph.gp figure1.csv figure1.png
set datafile separator ","
set terminal pngcairo size 1500,340
set output ARG2
set multiplot layout 1,5 margins 0.01,0.99,0.02,0.9 spacing 0.01,0
set size ratio -1
unset colorbox; unset key; unset tics; unset border
set palette defined (0 "white", 0.001 "#101830", 0.2 "#283860", 1 "#d8e4ff")
set cbrange [0:1]
do for [s in "0.5 4 16 64 256"] {
  set title "eps1 = ".s." spacing^2"
  plot sprintf("< awk -F, '$1==\"%s\"' %s", s, ARG1) using 2:3:4 with image
}
unset multiplot
