"""Exports that leave a stack: MiniStack keeps them, and CloudFormation refuses to while another stack imports them."""

from ministack.services.cloudformation import _exports, _stacks, handlers, stacks

resolve_outputs = stacks._resolve_stack_outputs


def importers(export, exporter):
    return [
        name
        for name, stack in _stacks.items()
        if name != exporter
        and "DELETE" not in stack.get("StackStatus", "")
        and export in handlers._imported_export_names(stack, name)
    ]


def resolve_without_imported(*args):
    """What it raises fails the update, which is then rolled back."""
    outputs, exports = resolve_outputs(*args)
    stack_name = args[5]
    before = {output.get("ExportName") for output in _stacks[stack_name].get("Outputs", [])} - {None}
    for export in before - exports.keys():
        if names := importers(export, stack_name):
            raise ValueError(f"Cannot delete export {export} as it is in use by {', '.join(names)}.")
        _exports.pop(export, None)
    return outputs, exports


def install():
    stacks._resolve_stack_outputs = resolve_without_imported
