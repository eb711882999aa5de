# soft_potential_scenes cost > c.csv; gnuplot -c scene_cost.gp c.csv cost.png
set datafile separator ";"
set terminal pngcairo size 1200,480
set output ARG2
set multiplot layout 1,2
set grid; set key top left
set yrange [0:*]; set xrange [0:*]
rows(study, law) = sprintf("< awk -F';' '$1==\"%s\" && $4==\"%s\"' %s", study, law, ARG1)
set title "mug and banana, 2,000 quads each"; set xlabel "quads inside the other body"
set ylabel "processor time with Jacobian / ms"
plot for [law in "'soft minimum, Gaussian' 'soft minimum, walls' 'soft potential, points' 'soft potential, grid'"] \
     rows("area", law) using 3:6 with linespoints pt 7 title law
set logscale xy; set yrange [*:*]; set xrange [300:20000]
set title "one pose, 200 quads of 2,000 inside"; set xlabel "quads of each"
plot for [law in "'soft minimum, Gaussian' 'soft minimum, walls' 'soft potential, points' 'soft potential, grid'"] \
     rows("resolution", law) using 2:6 with linespoints pt 7 title law
unset multiplot
