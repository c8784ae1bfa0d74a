{{/* What is published of the API. /healthz, /readyz and metrics stay inside. */}}
{{- define "cardinal.paths" -}}
paths:
  - { path: /api/kanban/v1, type: Prefix }
  # Assistants; nobody answers where MCP is false.
  - { path: /mcp, type: Exact }
  - { path: /.well-known/oauth-protected-resource, type: Prefix }
  - { path: /docs, type: Prefix }
  - { path: /openapi.json, type: Exact }
{{- end -}}
