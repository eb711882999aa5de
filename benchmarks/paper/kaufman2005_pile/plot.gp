# gnuplot -c plot.gp pile.csv pile.png
set datafile separator ","
set terminal pngcairo size 700,500
set output ARG2
set logscale xy
set xlabel "contacts"
set ylabel "processor time per step, ms"
set key left top
set fit nolog
f(x) = a + p * x
a = -5; p = 1
fit f(x) ARG1 using (log($2)):(log($3)) via a, p
plot ARG1 using 2:3 with points pt 7 title "piles of 63 to 1,000 bodies", exp(f(log(x))) title sprintf("power %.2f", p)
