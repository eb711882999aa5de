"""The stubs of the compiled module say what it has; every public function is annotated and documented."""

import ast
import inspect
import pathlib
import re
import typing
import unittest

import abut
from abut import _abut

PACKAGE = pathlib.Path(abut.__file__).parent


def public(names):
    return {name for name in names if not name.startswith("_")}


class Types(unittest.TestCase):
    def test_stubs_have_the_members_of_the_compiled_classes(self):
        tree = ast.parse((PACKAGE / "_abut.pyi").read_text())
        stubs = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

        def members(node):
            own = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            own |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
            for base in node.bases:
                own |= members(stubs[base.id]) if isinstance(base, ast.Name) and base.id in stubs else set()
            return own

        compiled = {name: value for name, value in vars(_abut).items() if inspect.isclass(value)}
        self.assertEqual(public(stubs), public(compiled))
        for name, value in compiled.items():
            if issubclass(value, (Exception, int)):
                continue
            with self.subTest(name):
                self.assertEqual(public(members(stubs[name])), public(vars(value)) | (public(dir(value)) - public(dir(object))))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(functions, {name for name, value in vars(_abut).items() if inspect.isbuiltin(value)})

    def test_stubs_give_the_parts_of_what_is_made_of_them(self):
        tree = ast.parse((PACKAGE / "_abut.pyi").read_text())
        given = {(node.name, item.name): ast.unparse(item.returns) for node in tree.body if isinstance(node, ast.ClassDef)
                 for item in node.body if isinstance(item, ast.FunctionDef)}
        for function, made in ((("Integrator", "_differentiate"), abut.StepDerivatives),
                               (("RolloutRun", "_gradient"), abut.RolloutGradient),
                               (("RolloutRun", "_jacobian"), abut.RolloutJacobian)):
            with self.subTest(function):
                parts = ast.parse(given[function]).body[0].value.slice.elts
                self.assertEqual(len(parts), len(made._fields))

    def test_public_functions_are_annotated_and_documented(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for name in public(vars(abut)):
            value = getattr(abut, name)
            if inspect.isfunction(value):
                with self.subTest(name):
                    self.assertTrue(value.__doc__)
                    hints = typing.get_type_hints(value, include_extras=True)
                    self.assertIn("return", hints)
                    for parameter in inspect.signature(value).parameters.values():
                        self.assertIsNot(parameter.annotation, inspect.Parameter.empty, parameter)
            elif inspect.isclass(value):
                self.assertTrue(value.__doc__, name)

    def test_the_documentation_has_the_arguments(self):
        """Of docs/python.md's table of calls: what stands behind * is given by name alone, what stands before it by place;
        and the defaults, of steps those of StepConfig."""
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()
        calls = re.findall(r"^\| `(\w+)\(([^`]*?)\)[`(]", page, re.M)
        self.assertGreater(len(calls), 10)
        for name, text in calls:
            written = ast.parse(f"def f({text.replace('..., ', '').replace('...', '')}): ...").body[0].args
            if not inspect.isfunction(getattr(abut, name)):
                continue
            real = inspect.signature(getattr(abut, name)).parameters
            by_name = {key for key, value in real.items() if value.kind is value.KEYWORD_ONLY}
            defaults = {arg.arg: default for arg, default in zip(written.kwonlyargs, written.kw_defaults) if default}
            with self.subTest(name):
                self.assertFalse({arg.arg for arg in written.args} & by_name)
                self.assertFalse({arg.arg for arg in written.kwonlyargs} & (set(real) - by_name))
                for key, default in defaults.items():
                    expected = real[key].default if key in real else getattr(abut.StepConfig, key)
                    self.assertEqual(ast.literal_eval(default), expected, key)


if __name__ == "__main__":
    unittest.main()
