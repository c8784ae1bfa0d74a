#!/bin/sh
# A CI job: checks the references to cards in the commits of a change. It fails where one never existed, and warns where
# a card is deleted or hidden. It takes one request for each hundred identifiers, and changes nothing.
#
#   sh ci.sh BASE [HEAD]
#
# BASE is the branch or commit that the change goes into, HEAD the change (by default HEAD):
#   GitHub   sh ci.sh "origin/$GITHUB_BASE_REF"            checkout with fetch-depth: 0
#   GitLab   sh ci.sh "$CI_MERGE_REQUEST_DIFF_BASE_SHA"    with GIT_DEPTH: 0
#
# It needs `cardinal` on the PATH, CARDINAL_URL, and CARDINAL_TOKEN: a secret of the CI with an API key for it
# (cardinal keys create --name ci --scope kanban:read).
set -eu
: "${CARDINAL_URL:?is the address of Cardinal}" "${CARDINAL_TOKEN:?is an API key of the scope kanban:read}"
exec cardinal refs --git "${1:?is the branch or commit that the change goes into}..${2:-HEAD}"
