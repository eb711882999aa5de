"""The published results: which program makes which, and the paper's own values beside what it prints."""

from dataclasses import dataclass, field

NUMBER = r"([-+]?\d+\.?\d*(?:e[-+]?\d+)?)(?![\w.])"
BOUND = "(?:met|NOT MET): "  # how a line of a program's own bounds begins


@dataclass
class Value:
    """A quantity that a program prints: the first group of the one line that begins with `pattern`."""
    what: str
    pattern: str
    published: str
    bound: str = ""  # "<=" or ">=": met where ours is so beside the published number; "": told, not judged
    section: str = ""  # how the line begins behind which the value stands; "": anywhere
    end: str = "$"  # how the line begins that ends the section; "$": an empty one


@dataclass
class Row:
    name: str  # of its folder and its section
    paper: str  # a key of PAPERS
    result: str  # table, figure or section of the paper, and what it shows
    program: str
    quick: list = field(default_factory=list)  # the program's arguments
    full: list = field(default_factory=list)
    seconds: tuple = (1, 1)  # of quick and full, roughly, on one idle core
    values: list = field(default_factory=list)
    needs: str = ""  # folder of the reference data that nothing stands in for
    peer: str = ""  # what the program is not built without
    plot: str = "plot.gp"  # beside the program's source, draws what it prints
    before: list = field(default_factory=list)  # commands of build/release/bin that make its input


PAPERS = {
    "Montaut 2022": "Montaut et al., Differentiable Collision Detection: a Randomized Smoothing Approach, 2022",
    "Beker 2025": "Beker et al., A Smooth Analytical Formulation of Collision Detection and Rigid Body Dynamics With Contact, 2025",
    "Elandt 2019": "Elandt et al., A Pressure Field Model for Fast, Robust Approximation of Net Contact Force and Moment between Nominally Rigid Objects, 2019",
    "Kaufman 2005": "Kaufman et al., Fast Frictional Dynamics for Rigid Bodies, 2005",
    "DiffCollision 2026": "Chen et al., Robust Differentiable Collision Detection for General Objects, 2025; ICRA 2026",
}


def law_v(what, method, settings, column, published, bound="<="):
    """A quantile of Table I of Montaut 2022: column 2 is the median, 3 is Q3, 4 is D9."""
    line = rf"{method} +{settings}" + r" +\S+" * column + r" +" + NUMBER
    return Value(what, line, published, bound, section="polyhedral ellipsoids, law V, ")


def table2(what, method, settings, collision, apart):
    """Times of Table II of Montaut 2022, the same pair again (hot): mean in us."""
    line = rf"{method} +{settings} +"
    timing = r"[\d.]+ \+- +[\d.]+ \([^)]*\) +"
    return [Value(f"{what}, collision, us", line + NUMBER, collision, "<="),
            Value(f"{what}, no collision, us", line + timing * 2 + NUMBER, apart, "<=")]


def tpush(model, integrator, step, distance, angle):
    """A model beside the soft minimum in the table of Beker 2025, Fig. 7."""
    line = rf"\| {model}, (?!34 )\d+ points \| {integrator} \| {step} \| "
    what = f"{model}, {integrator}, {step} ms"
    return [Value(f"{what}: off, cm", line + NUMBER, distance, "<="),
            Value(f"{what}: off, degrees", line + r"[^|]*\| " + NUMBER, angle, "<=")]

AFTER_50 = r"median cost after 10, 25, 50 iterations: \S+ \S+ " + NUMBER + "$"


ROWS = [
    Row("montaut2022_table1", "Montaut 2022", "Table I: cost after 50 steps of contact-pose generation",
        "montaut2022_table1_contact_pose", quick=["--pairs", "10", "--problems", "20", "--ycb", "100", "--csv", "table1.csv"],
        full=["--csv", "table1.csv"], seconds=(10, 900),
        values=[law_v("finite differences, the baseline, Q3, m^2", "finite differences", "M=12 eps=1e-6", 3, "4e-2", ""),
                law_v("zeroth order M = 50, D9, m^2", "zeroth order", "M=50 eps=1e-2", 4, "5e-3"),
                law_v("first-order Gaussian M = 20, D9, m^2", "first-order Gaussian", "M=20 eps=1e-3", 4, "2e-6"),
                law_v("first-order Gumbel nl = 1, median, m^2", "first-order Gumbel", "nl=1 eps=1e-4", 2, "1e-8"),
                law_v("first-order Gumbel nl = 1, D9, m^2", "first-order Gumbel", "nl=1 eps=1e-4", 4, "2e-5"),
                law_v("ours, soft bodies, D9, m^2 (the paper's best)", "soft bodies", "annealed, defaults", 4, "2e-6")]),
    Row("montaut2022_table2", "Montaut 2022", "Table II: time of derivatives on YCB hulls, same pair again",
        "montaut2022_table2_timings", quick=["--count", "50"], full=["--csv", "table2.csv"], seconds=(1, 60),
        values=table2("finite differences", "finite differences", "M=12", "78", "11.0") +
               table2("zeroth order M = 20", "zeroth order", "M=20", "122", "17") +
               table2("Gaussian M = 20", "first-order Gaussian", "M=20", "8.9", "5.8") +
               table2("Gumbel nl = 1", "first-order Gumbel", "nl=1", "1.7", "1.6") +
               table2("Gumbel nl = 5", "first-order Gumbel", "nl=5", "9.6", "9.7"), needs="ycb"),
    Row("montaut2022_figures1to4", "Montaut 2022", "Figures 1 to 4: witness points, ring weights, poses",
        "montaut2022_figures1to4", needs="ycb"),
    Row("montaut2022_figure5", "Montaut 2022", "Figure 5: convergence on YCB hulls",
        "montaut2022_figure5_ycb",
        values=[Value("finite differences, median cost after 50 steps, m^2",
                      r"finite differences 1e-6 +" + AFTER_50, "curve: stuck at a limited precision"),
                Value("Gumbel, defaults, median cost after 50 steps, m^2",
                      r"gumbel \(default\) +" + AFTER_50, "curve: rapidly to high precision")], needs="ycb"),
    Row("montaut2022_figure6", "Montaut 2022", "Figure 6: noise against precision",
        "montaut2022_figure6_noise",
        values=[Value(f"Gumbel nl = 1, eps = {eps}, median cost after 50 steps, m^2",
                      rf"nl=1 eps={eps} +" + AFTER_50, published)
                for eps, published in (("1e-06", "curve: slower, more precise"), ("1e-04", "curve: faster, less precise"))], needs="ycb"),
    Row("montaut2022_accuracy", "Montaut 2022", "beyond the tables: error against smooth ellipsoids",
        "montaut2022_accuracy", quick=["--pairs", "60"], seconds=(1, 3),
        values=[Value("Gumbel, defaults, 2,562 vertices, median error", BOUND + "2562 vertices, median error of gumbel, its defaults: " + NUMBER, "")]),
    Row("beker2025_figure1", "Beker 2025", "Figure 1: the morph of a shape with eps1, on a mug",
        "beker2025_figure1_figure5_force_profile", quick=["morph", "assets/005_mug.h5"], full=["morph", "assets/005_mug.h5"], seconds=(30, 30),
        plot="morph.gp", before=[["abut-preprocess", "synthetic", "meshes"],
                                 ["abut-preprocess", "meshes", "assets", "--only", "*mug*", "--tets", "none"]]),
    Row("beker2025_figure4", "Beker 2025", "Figure 4: soft distance of a square at four temperatures",
        "beker2025_figure4_isosurface"),
    Row("beker2025_figure5", "Beker 2025", "Figure 5: force on a ball beside MuJoCo's and Bullet's",
        "beker2025_figure1_figure5_force_profile", quick=["force"], full=["force"], seconds=(40, 40), plot="force.gp"),
    Row("beker2025_figure6", "Beker 2025", "Figure 6: rollouts of planar pushing",
        "beker2025_figure6_rollouts", quick=[".", "1"], full=["."], seconds=(15, 45), needs="tpush", peer="MuJoCo"),
    Row("beker2025_figure7", "Beker 2025", "Figure 7, the table: planar pushing, how far from MuJoCo's end",
        "beker2025_table7_tpush", quick=["4000"], seconds=(80, 110),
        values=tpush("soft minimum", "rk4", 2, "1.2", "10.8") + tpush("soft minimum", "rk4", 8, "1.3", "12.5") +
               tpush("soft minimum", "rk4", 16, "4.6", "29.4") + tpush("soft minimum", "semi_implicit", 2, "6.7", "42.3") +
               tpush("soft potential, grid", "rk4", 2, "1.2", "10.8") + tpush("soft potential, grid", "rk4", 16, "4.6", "29.4"), needs="tpush", peer="MuJoCo"),
    Row("elandt2019_figure1", "Elandt 2019", "Figure 1: equal-pressure surface at three compliances",
        "elandt2019_figure1_compliance",
        values=[Value("difference of the two pressures on it, of the modulus",
                      "largest difference of the two pressures on the surface: " + NUMBER + " of the modulus", "equal")]),
    Row("elandt2019_figure2", "Elandt 2019", "Figure 2: a patch, here on a scanned mug",
        "elandt2019_figure2_field", quick=["."], full=["."], needs="pressure_field"),
    Row("elandt2019_figure3", "Elandt 2019", "Figure 3: hydrostatics and elastic foundation",
        "elandt2019_figure3_hydrostatic",
        values=[Value("difference from hydrostatics", "largest difference from hydrostatics: " + NUMBER, "identical")]),
    Row("elandt2019_figure5", "Elandt 2019", "Figure 5: a polygon loses a side, quadrature points move on",
        "elandt2019_figure5_tessellation",
        values=[Value("largest step of a sum over the points, of the first", BOUND + "largest step of the sum over the first one: " + NUMBER, "continuous")]),
    Row("elandt2019_figure6", "Elandt 2019", "Figure 6 and Section VIII-A: against finite elements",
        "elandt2019_figure6_fem",
        values=[Value("point-like contact, law through the flat case: off by, %",
                      BOUND + r"fitted law at amplitude 0\.333, depth 0\.4: off by, % \(the paper's: 23\): " + NUMBER, "23", "<=")], needs="fem"),
    Row("elandt2019_section7", "Elandt 2019", "Section VII: cost against polygons",
        "elandt2019_section7_complexity", seconds=(2, 2),
        values=[Value("power of the polygons that time grows with", "time grows with the power " + NUMBER, "m lg n: 1")],
        needs="pressure_field"),
    Row("elandt2019_sphere", "Elandt 2019", "beyond the figures: a ball on a rigid plane, closed form",
        "elandt2019_sphere_on_plane", seconds=(60, 60),
        values=[Value("6,000 tetrahedra, 2 mm deep: off by, %", BOUND + "6000 tetrahedra, 2 mm deep: off by, %: " + NUMBER, "")]),
    Row("kaufman2005_sliding", "Kaufman 2005", "sliding, rolling and a loop; beside it the exact answers",
        "kaufman2005_sliding",
        values=[Value("box slides, coupled solver, m", r" +coupled +box at 2 m/s, mu 0\.3: " + NUMBER, "exact (Coulomb): 0.6796"),
                Value("box slides, the paper's method made again, m", r" +published +box at 2 m/s, mu 0\.3: " + NUMBER, "exact (Coulomb): 0.6796")]),
    Row("kaufman2005_pile", "Kaufman 2005", "piles of non-convex bodies: cost per contact, rest",
        "kaufman2005_pile", quick=["250"], seconds=(30, 200),
        values=[Value("250 bodies: us a contact", r"250,[^,]*,[^,]*," + NUMBER, "")]),
    Row("diffcollision2026", "DiffCollision 2026", "poses by optimisation: problems solved, other and fewer objects",
        "diffcollision2026_optimisation",
        quick=["--pairs", "5", "--targets", "6", "--other-pairs", "1", "--other-targets", "3"],
        full=["--pairs", "10", "--targets", "12"], seconds=(300, 1200),
        values=[Value(f"{what}, their optimiser, our derivative: solved, %",
                      r"\| patch, at the contact \| \d+ of \d+, " + NUMBER, published, ">=",
                      section=rf"\(a\) 2,000 steps along the normalised gradient, {bodies}$", end=r"\(")
                for what, bodies, published in (("convex", "hulls", "90"), ("concave, unions of pieces", "pieces", "70"),
                                                ("concave, scans themselves", "surfaces", "70"))] +
               [Value(f"{what}, Gauss-Newton with restarts: solved, %",
                      r"\| Gauss-Newton, starts from the targets' normals \| \d+ of \d+, " + NUMBER, "70", ">=",
                      section=rf"\(b\) Gauss-Newton with restarts, {bodies}$", end=r"\(")
                for what, bodies in (("concave, unions of pieces", "pieces"), ("concave, scans themselves", "surfaces"))],
        needs="ycb"),
]
