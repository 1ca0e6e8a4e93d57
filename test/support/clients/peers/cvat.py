"""Has a CVAT server call its functions by CVAT's own SDK. Arguments: the server's address, a point. Prints what came back as JSON."""

import json
import sys

from cvat_sdk import make_client, models

server, x, y = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
with make_client(server, access_token="a token") as client:
    functions = client.api_client.lambda_api

    def call(name: str, **asked) -> object:
        request = models.OnlineFunctionCallRequest(task=1, frame=0, **asked)
        return json.loads(functions.create_functions(name, online_function_call_request=request)[1].data)

    listed = json.loads(functions.list_functions()[1].data)
    clicks = {"pos_points": [[x, y]], "neg_points": []}
    print(
        json.dumps(
            {
                "functions": {each["id"]: each["kind"] for each in listed},
                "clicked": call("segmentation-interactor", **clicks),
                "detected": call("segmentation-detector", threshold=0.5),
            }
        )
    )
