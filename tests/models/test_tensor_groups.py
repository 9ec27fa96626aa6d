import pytest

from analysis.models.gguf_header import Tensor
from analysis.models.tensor_groups import TensorGroup, main_type, tensor_groups


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("token_embd.weight", "embedding"),
        ("output.weight", "output"),
        ("output_norm.weight", "norm"),
        ("enc.output_norm.weight", "norm"),
        ("blk.0.attn_q.weight", "attention"),
        ("blk.0.attn_q_norm.weight", "norm"),
        ("blk.0.ffn_up.weight", "feed-forward"),
        ("blk.0.ffn_up_exps.weight", "experts"),
        ("blk.0.ffn_down_shexp.weight", "experts"),
        ("blk.0.ffn_gate_inp.weight", "experts"),
        ("blk.3.ssm_conv1d.weight", "recurrent"),
        ("blk.9.nextn.eh_proj.weight", "draft"),
        ("fc.weight", "draft"),
        ("markov_w1.weight", "draft"),
        ("rope_freqs.weight", "other"),
    ],
)
def test_tensor_has_one_class(name, group):
    (found,) = tensor_groups([Tensor(name, "F32", 1, 4)])
    assert found.tensors == group


def test_groups_add_up_and_largest_comes_first():
    groups = tensor_groups(
        [
            Tensor("blk.0.attn_q.weight", "Q4_K", 256, 144),
            Tensor("blk.1.attn_q.weight", "Q4_K", 256, 144),
            Tensor("blk.1.attn_v.weight", "Q6_K", 256, 210),
        ]
    )
    assert groups == (
        TensorGroup("attention", "Q4_K", 2, 512, 288),
        TensorGroup("attention", "Q6_K", 1, 256, 210),
    )
    assert main_type(groups) == "Q4_K"
    assert main_type(()) is None


def test_unknown_size_of_one_is_unknown_for_all():
    (group,) = tensor_groups([Tensor("a", "type 99", 32, None), Tensor("b", "type 99", 32, None)])
    assert group == TensorGroup("other", "type 99", 2, 64, None)
