"""Cases: nodes from elsewhere, and branches."""

from __future__ import annotations

from typing import Any

import numpy as np

from language import branching, case, outputs_of, run, source


# Nodes from elsewhere.


@case
def operators_outside_of_a_pipeline(dali: Any) -> Any:
    node = dali.types.Constant(np.array([1, 2])) + source(dali, [3, 4])
    first = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    first.set_outputs(node, node * 2)
    second = dali.Pipeline(batch_size=2, num_threads=1, device_id=None)
    second.set_outputs(node - 1)
    return [outputs_of(first), outputs_of(second)]


@case
def nodes_passed_into_a_pipeline(dali: Any) -> Any:
    @dali.pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline(node: Any) -> Any:
        return node + 1, dali.fn.cast(node, dtype=dali.types.FLOAT)

    return outputs_of(pipeline(source(dali, [5, 6])))


@case
def nodes_of_another_pipeline(dali: Any) -> Any:
    one = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with one:
        node = source(dali, [7])
    other = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with other:
        other.set_outputs(node + 1)
    return outputs_of(other)


@case
def nodes_are_not_iterable(dali: Any) -> Any:
    from collections.abc import Iterable

    return isinstance(source(dali, 1), Iterable)


@case
def a_node_is_iterated_over(dali: Any) -> Any:
    return list(source(dali, 1))


@case
def an_output_is_a_list_of_nodes(dali: Any) -> Any:
    return run(dali, lambda: ([source(dali, 1), source(dali, 2)], source(dali, 3)))


# Conditionals.


@case
def conditionals_asked_for_at_the_call(dali: Any) -> Any:
    @dali.pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline() -> Any:
        number = source(dali, 4)
        if source(dali, True):
            number = number * 3
        return number

    return outputs_of(pipeline(enable_conditionals=True))


class Holder:
    pass


@case
def an_attribute_set_in_both_branches(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        holder = Holder()
        holder.value = source(dali, 5)
        if condition:
            holder.value = holder.value + 1
        else:
            holder.value = holder.value - 1
        return holder.value

    return branching(dali, body, [True, False])


@case
def an_attribute_set_in_one_branch(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        holder = Holder()
        holder.value = source(dali, 5)
        if condition:
            holder.value = holder.value + 10
        return holder.value

    return branching(dali, body, [True, False])


@case
def an_attribute_made_in_both_branches(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        holder = Holder()
        if condition:
            holder.value = source(dali, 1)
        else:
            holder.value = source(dali, 2)
        return holder.value

    return branching(dali, body, [True, False])


@case
def an_attribute_made_in_one_branch(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        holder = Holder()
        if condition:
            holder.value = source(dali, 1)
        return holder.value

    return branching(dali, body, [True, False])


@case
def items_of_a_dictionary(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        values = {"a": source(dali, 5), "b": source(dali, 6)}
        if condition:
            values["a"] = values["a"] + 1
        else:
            values["b"] = values["b"] + 1
        return values["a"], values["b"]

    return branching(dali, body, [True, False])


@case
def items_of_a_list(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        values = [source(dali, 5), source(dali, 6)]
        place = 1
        if condition:
            values[place] = values[place] + 1
        else:
            values[0] = values[0] - 1
        return values[0], values[1]

    return branching(dali, body, [True, False])


@case
def nested_functions(dali: Any) -> Any:
    def body(number: Any) -> Any:
        def inner(x: Any) -> Any:
            if x > 3:
                y = x * 2
            else:
                y = x
            return y

        return inner(number)

    return branching(dali, body, [2, 4])


@case
def nested_branches_and_attributes(dali: Any) -> Any:
    def body(number: Any) -> Any:
        holder = Holder()
        holder.value = number
        if number > 1:
            if number > 3:
                holder.value = holder.value * 100
            else:
                holder.value = holder.value * 10
        return holder.value

    return branching(dali, body, [2, 4])


@case
def a_condition_with_an_axis(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        number = source(dali, 1)
        if condition:
            number = number + 1
        return number

    return branching(dali, body, [[True, False], [True, False]])


@case
def a_condition_that_is_a_number(dali: Any) -> Any:
    def body(condition: Any) -> Any:
        number = source(dali, 1)
        if condition:
            number = number + 1
        return number

    return branching(dali, body, [0.5, 0.0])


@case
def and_of_numbers(dali: Any) -> Any:
    return branching(dali, lambda left, right: left and right, [1, 2], [3, 0])


@case
def and_with_an_axis(dali: Any) -> Any:
    def body(left: Any, right: Any) -> Any:
        return left and right

    return branching(dali, body, [[True], [True]], [[True], [False]])


@case
def and_or_not(dali: Any) -> Any:
    def body(left: Any, right: Any) -> Any:
        return left and right, left or right, not left

    return branching(dali, body, [True, False], [False, False])


@case
def not_of_a_number(dali: Any) -> Any:
    def body(number: Any) -> Any:
        return not number

    return branching(dali, body, [3, 0])


@case
def not_with_an_axis(dali: Any) -> Any:
    def body(number: Any) -> Any:
        return not number

    return branching(dali, body, [[3], [0]])
