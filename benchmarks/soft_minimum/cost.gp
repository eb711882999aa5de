# soft_minimum_benchmark scaling > s.csv; soft_minimum_benchmark regions > r.csv; gnuplot -c cost.gp s.csv r.csv cost.png
set datafile separator ","
set terminal pngcairo size 1200,480
set output ARG3
set multiplot layout 1,2
set grid; set key top left
set logscale xy
set title "two balls"; set xlabel "points of each body"; set ylabel "processor time / ms"
plot ARG1 using 2:(1e3*column(4)) with linespoints pt 7 title "wrench", \
     ARG1 using 2:(1e3*column(4)*column(5)) with linespoints pt 7 title "with Jacobian", \
     ARG1 using 2:(1e3*column(4)*column(6)) with linespoints pt 7 title "with Hessian", \
     1e-4*x*log(x) with lines dt 2 lc "black" title "n log n"
unset logscale
set title "16,000 points of each body; 1, 4, 16 regions in contact"; set xlabel "points in contact"
set yrange [0:*]; set xrange [0:*]
plot ARG2 using 10:(1e3*column(4)) with linespoints pt 7 title "wrench", \
     ARG2 using 10:(1e3*column(4)*column(5)) with linespoints pt 7 title "with Jacobian"
unset multiplot
