/**
 * `node:http` for processes that start often. An `import` reads each of its exports, also the lazy ones, and so loads
 * Node's WebSocket client and `fetch`: 30 ms of CPU.
 */
export const http = process.getBuiltinModule('node:http');
