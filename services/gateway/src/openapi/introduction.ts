import { apiPrefix } from '@cardinal/contracts';
import { changes } from './changes.gen.ts';
import { errorChapter } from './components.ts';
import { nextSteps } from './next-steps.ts';
import { quickStart } from './quick-start.ts';

/** The document's introduction: a first request, further steps, and the rules of all requests. */
export const introduction = `Work tracking with identifiers that never break.

${quickStart}

${nextSteps}

### Paths and this page
All paths are relative to \`${apiPrefix}\`. On this page, put the token into Authentication, and press Test Request at an operation: an \`Idempotency-Key\` that you leave as it is becomes a new one at every send.

## Tokens
Every operation needs \`Authorization: Bearer …\`: an API key, or a JWT of the issuer that the operator of this Cardinal chose (OpenID Connect), if there is one: your organisation's sign-in hands it out. \`POST /api-keys\` creates keys. A Cardinal of your own makes one for its demo workspace: \`npm run --silent key\` beside \`npm start\`, \`docker compose run --rm key --name laptop\` with Docker. Either names the workspace and the user, and what it may do: \`kanban:read\` for reads, \`kanban:write\` for writes, \`kanban:admin\` where an operation says so; each includes those before it. The scope that an operation needs ends its description.

## Names
Wherever a path has the id of a card, an identifier of it may stand, current or former, in any letter case: \`PATCH /cards/PAY-1\`. The answer is that of the id. \`POST /identifiers/resolve\` finds the cards of up to a hundred identifiers, or of those in a text.

## Errors
Every error has the same shape: \`{"error": {"code", "message", "request_id", "details"}}\`. \`code\` is for programs, \`message\` for people; \`details\` has more where there is more. A resource that you may not see answers 404, like one that does not exist.

${errorChapter}

## Client
\`@cardinal/client\` is the TypeScript client, for Node and browsers, in \`libs/client\` of the repository: typed, with keys and versions sent, pages walked through, and retries where they are safe. For other languages, generators of clients take this document.

## Versions
The interface is \`v1\`, in the path. Within it nothing is taken away, renamed or given another meaning; fields of answers, operations, optional parameters and codes of errors may be added with any release, so ignore what you do not know. Breaking changes come as \`v2\`, beside which \`v1\` is served for a year at least. The number above is that of the release, whose changes are in \`CHANGELOG.md\`.

${changes}

## Pages
A list answers \`{"data": […], "page": {"next_cursor", "has_more"}}\`. \`limit\` is 1 to 100, 50 where it is left out; a page also ends at 1 MiB. Send \`next_cursor\` as \`cursor\` for the next page, with the same filters; a cursor of another list answers 400.

## Preconditions
A versioned resource comes with an \`ETag\`. Writes to it need \`If-Match\` with that \`ETag\`: without it 428, with an old one 412. Its \`details.current_version\` is the current version, and \`details.changes\` names who changed which fields since. Where \`details.complete\` is true and none of these fields is in your patch, send it again with the current version. Reads take \`If-None-Match\`, and answer 304 while nothing has changed.

## Idempotency
POSTs need an \`Idempotency-Key\` of your own, new for each new request. After a lost answer send the same request with the same key: it is not carried out again, and the first answer comes back with \`Idempotent-Replayed: true\`. The same key with another request answers 422. Keys count for one user and one operation, for a day at least. PUTs, and DELETEs of what is put, set a state: they need no headers and can be repeated freely.

## Limits and Retry-After
By default:

| What | Limit | Beyond it |
| --- | --- | --- |
| Requests of a user of a workspace | 2,000 in 10 seconds | 429 |
| Requests of a workspace | 20,000 in 10 seconds | 429 |
| Answers | each begun 64 KiB counts as one request | 429 |
| Requests without a valid token, of an address | 1,000 in 10 seconds | 429 |
| Body of a request | 1 MiB, 1,000 members and elements, of adoptions 20,000 | 413, 422 |
| Header that is read | 1 KiB, \`Authorization\` 8 KiB | 400 |
| Page of a list | 100 items, 1 MiB | ends earlier, with \`has_more\` |
| Streams of events | 20 of a user | 429 |
| Events | kept for 30 days | 410 |

\`RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` of every answer are those of the limit that is used up first. 429 and 503 come with \`Retry-After\`: send the same request again after that many seconds, with the same key. The bounds of fields are in their schemas.

## Uploads
Create a file, send its bytes to \`upload.url\` with \`upload.headers\`, once, and read the file until its \`status\` is \`clean\`. Only then can it be a cover, be linked or be downloaded.`;
