"""What is learned: tasks by name, each a frozen value that samples batches with numpy."""

from typing import TYPE_CHECKING

from lengthwise.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lengthwise.tasks.base import Task

_ALGORITHMIC = "lengthwise.tasks.algorithmic"
_ARITHMETIC = "lengthwise.tasks.arithmetic"
_FORMAL = "lengthwise.tasks.formal"
_REASONING = "lengthwise.tasks.reasoning"
_TEXT = "lengthwise.tasks.text"

TASKS = Registry(
    "task",
    "lengthwise.tasks",
    {
        "addition": f"{_ALGORITHMIC}.addition:Addition",
        "binary-majority": f"{_ALGORITHMIC}.majority:BinaryMajority",
        "interleaved-majority": f"{_ALGORITHMIC}.interleaved:InterleavedMajority",
        "majority": f"{_ALGORITHMIC}.majority:Majority",
        "parity": f"{_ALGORITHMIC}.parity:Parity",
        "repeat-copy": f"{_ALGORITHMIC}.copying:RepeatCopy",
        "sort": f"{_ALGORITHMIC}.copying:Sort",
        "unique-copy": f"{_ALGORITHMIC}.copying:UniqueCopy",
        "aa-star": f"{_FORMAL}.languages:AA",
        "aaaa-star": f"{_FORMAL}.languages:AAAA",
        "abab-star": f"{_FORMAL}.languages:ABAB",
        "tomita-1": f"{_FORMAL}.languages:Tomita1",
        "tomita-2": f"{_FORMAL}.languages:Tomita2",
        "tomita-3": f"{_FORMAL}.languages:Tomita3",
        "tomita-4": f"{_FORMAL}.languages:Tomita4",
        "tomita-5": f"{_FORMAL}.languages:Tomita5",
        "tomita-6": f"{_FORMAL}.languages:Tomita6",
        "tomita-7": f"{_FORMAL}.languages:Tomita7",
        "bounded-dyck": f"{_FORMAL}.languages:BoundedDyck",
        "d-2": f"{_FORMAL}.languages:D2",
        "d-3": f"{_FORMAL}.languages:D3",
        "d-4": f"{_FORMAL}.languages:D4",
        "d-12": f"{_FORMAL}.languages:D12",
        "abcde": f"{_FORMAL}.languages:ABCDE",
        "ab-d-bc": f"{_FORMAL}.languages:ABdBC",
        "zero-twos": f"{_FORMAL}.languages:ZeroTwos",
        "depth-hierarchy": f"{_FORMAL}.languages:DepthHierarchy",
        "regex": f"{_FORMAL}.user:Regex",
        "dfa": f"{_FORMAL}.user:Automaton",
        "mlregtest": f"{_FORMAL}.user:Benchmark",
        "word-problem": f"{_FORMAL}.word_problem:WordProblem",
        "dyck-1": f"{_FORMAL}.counters:Dyck1",
        "boolean": f"{_FORMAL}.counters:BooleanExpressions",
        "boolean-3": f"{_FORMAL}.counters:Boolean3",
        "boolean-5": f"{_FORMAL}.counters:Boolean5",
        "an-bn": f"{_FORMAL}.counters:EqualBlocks",
        "an-bn-cn": f"{_FORMAL}.counters:ThreeBlocks",
        "an-bn-cn-dn": f"{_FORMAL}.counters:FourBlocks",
        "shuffle-dyck": f"{_FORMAL}.shuffle:ShuffleDyck",
        "flip-flop": f"{_FORMAL}.recall:FlipFlop",
        "induction-head": f"{_FORMAL}.recall:InductionHead",
        "distance-copy": f"{_FORMAL}.recall:DistanceCopy",
        "mqar": f"{_FORMAL}.mqar:AssociativeRecall",
        "copy-v1-text": f"{_REASONING}.copying:CopySingle",
        "copy-v1-2x-text": f"{_REASONING}.copying:CopySingleTwice",
        "copy-v2-text": f"{_REASONING}.copying:CopyReplace",
        "copy-v3-text": f"{_REASONING}.copying:CopyMany",
        "copy-v3-2x-text": f"{_REASONING}.copying:CopyManyTwice",
        "reverse-v1-text": f"{_REASONING}.copying:Reverse",
        "reverse-v1-2x-text": f"{_REASONING}.copying:ReverseTwice",
        "reverse-v2-text": f"{_REASONING}.copying:ReverseBack",
        "addition-text": f"{_REASONING}.addition:AdditionText",
        "polynomial-text": f"{_REASONING}.polynomial:Polynomial",
        "summation-text": f"{_REASONING}.summation:Summation",
        "parity-text": f"{_REASONING}.summation:ParityText",
        "sort-text": f"{_REASONING}.sorting:SortSingle",
        "sort-multi-text": f"{_REASONING}.sorting:SortNumbers",
        "lego-text": f"{_REASONING}.lego:Lego",
        "jsonl": f"{_REASONING}.record_files:RecordFiles",
        "scan": f"{_REASONING}.scan:Scan",
        "pcfg": f"{_REASONING}.pcfg:Pcfg",
        "copy-steps": f"{_ARITHMETIC}.steps:CopySteps",
        "shift-steps": f"{_ARITHMETIC}.steps:ShiftSteps",
        "parity-steps": f"{_ARITHMETIC}.steps:ParitySteps",
        "addition-steps": f"{_ARITHMETIC}.steps:AdditionSteps",
        "multiplication-steps": f"{_ARITHMETIC}.steps:MultiplicationSteps",
        "division-steps": f"{_ARITHMETIC}.steps:DivisionSteps",
        "select-first": f"{_ARITHMETIC}.select:SelectFirst",
        "select-middle": f"{_ARITHMETIC}.select:SelectMiddle",
        "select-last": f"{_ARITHMETIC}.select:SelectLast",
        "python-source": f"{_TEXT}.modelling:PythonSource",
        "text": f"{_TEXT}.modelling:TextFiles",
        "fixed": "lengthwise.tasks.fixed:FixedSet",
        "columns": "lengthwise.tasks.steps.digit_columns:DigitColumns",
        "hinted-copy": "lengthwise.tasks.steps.hinted_copy:HintedCopy",
        "hinted-addition": "lengthwise.tasks.steps.hinted_addition:HintedAddition",
        "trace": "lengthwise.tasks.steps.state_trace:StateTrace",
        "label": "lengthwise.tasks.label:Label",
        "steps": "lengthwise.tasks.steps.interleaved_steps:StepsInside",
    },
)


def load_task(text: str) -> "Task":
    """Build a task from its name, ``name:option=value,...`` or ``file.py:Class``.

    Example:
        >>> load_task("majority:letters=3").vocabulary.symbols[:3]
        ('a', 'b', 'c')
    """
    from lengthwise.core.components import Component
    from lengthwise.tasks.base import Task

    return Component.parse(text, TASKS).build(TASKS, Task)


def read_by(options: "Mapping[str, Any]") -> dict[str, bytes]:
    """Return what the task reads that the option ``task`` of another one names."""
    from lengthwise.core.components import Component

    text = str(options.get("task", ""))
    return Component.parse(text, TASKS).contents(TASKS) if text else {}
