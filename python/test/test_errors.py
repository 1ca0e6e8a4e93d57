"""Errors survive copies and processes. python3 -m unittest"""

import copy
import multiprocessing
import pickle
import unittest
from concurrent.futures import ProcessPoolExecutor

from segmentation_client import SegmentationError


def failing(_: int) -> None:
    raise SegmentationError(
        "trial_exhausted",
        "The trial is over.",
        status=402,
        request_id="req_1",
        body={"remainingTokens": 0, "upgradeUrl": "https://example.com/pay"},
        job_id="job_1",
        retry_after_seconds=7,
    )


def error_of_failing() -> SegmentationError:
    try:
        failing(1)
    except SegmentationError as error:
        return error
    raise AssertionError("it did not fail")


class Errors(unittest.TestCase):
    def assert_same(self, error: BaseException) -> None:
        self.assertIsInstance(error, SegmentationError)
        self.assertEqual(vars(error), vars(error_of_failing()))
        self.assertEqual(str(error), "The trial is over.")

    def test_are_copied_and_pickled_with_all_their_fields(self) -> None:
        error = error_of_failing()
        # Set where the job is known.
        error.job_id = "job_1"
        self.assert_same(copy.copy(error))
        self.assert_same(copy.deepcopy(error))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            self.assert_same(pickle.loads(pickle.dumps(error, protocol)))

    def test_come_out_of_a_pool_of_processes(self) -> None:
        # Forked workers start without another import of httpx.
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            with self.assertRaises(SegmentationError) as failure:
                list(executor.map(failing, [1]))
        self.assert_same(failure.exception)
        with context.Pool(1) as pool:
            with self.assertRaises(SegmentationError) as failure:
                pool.map_async(failing, [1]).get(timeout=60)
        self.assert_same(failure.exception)


if __name__ == "__main__":
    unittest.main()
