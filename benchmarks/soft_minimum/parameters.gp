# soft_minimum_benchmark parameters > p.csv && gnuplot -c parameters.gp p.csv p.png
set datafile separator ","
set terminal pngcairo size 1300,760
set output ARG2
set multiplot layout 2,3
curve(name, value) = sprintf("< awk -F, '$1==\"%s\" && $2==\"%s\"' %s", name, value, ARG1)
set grid
set title "eps1: rounding. On a box, near its edge"; set xlabel "distance from the edge / spacing"; set ylabel "soft distance / spacing"; set key bottom right
plot for [v in "0.125 0.5 2 8"] curve("eps1", v) using 3:4 with lines lw 2 title v, \
     curve("wall", "0.5") using 3:4 with lines lw 2 dt 2 title "0.5, kernel of walls"
set title "eps2: how deep a point must be to carry. Ball on a plane"; set xlabel "distance from the axis / spacing"; set ylabel "weight / largest"; set key top right
plot for [v in "0.03 0.1 0.3 1"] curve("eps2", v) using 3:4 with lines lw 2 title v
set title "eps3: where the spring sets in. Box on a plane"; set xlabel "height / spacing"; set ylabel "force / N"
plot for [v in "0.01 0.05 0.2"] curve("eps3", v) using 3:4 with lines lw 2 title v
set title "penetration at the load: stiffness"; set xlabel "depth / spacing"; set key top left
plot for [v in "0.02 0.05 0.1"] curve("penetration", v) using 3:4 with lines lw 2 title v
set title "stiction: where sliding friction sets in"; set xlabel "sliding velocity / (m/s)"; set ylabel "friction / normal force"; set logscale x; set format x "10^{%L}"; set key bottom right
plot for [v in "0.0001 0.001 0.01"] curve("stiction", v) using 3:4 with lines lw 2 title v
unset logscale x; set format x "%g"
set title "dissipation, and the law of damping"; set xlabel "separating velocity / (m/s)"; set ylabel "normal force / N"; set key top right
plot for [v in "0.1 0.2"] curve("damping", v) using 3:4 with lines lw 2 title v, \
     for [v in "0.1 0.2"] curve("damping of the paper", v) using 3:4 with lines dt 2 lw 2 title v.", the paper's"
unset multiplot
