/**
 * `node:http`, for processes that are started often: an `import` of it reads each of its exports, the lazy ones too, and so
 * loads Node's WebSocket client and `fetch`, which takes 30 ms of CPU.
 */
export const http = process.getBuiltinModule('node:http');
