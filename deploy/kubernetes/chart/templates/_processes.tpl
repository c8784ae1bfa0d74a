{{/*
The processes that run, as JSON: their name, and the services of each. Apart each service is one; together the process
`gateway` has all, and while a release changes from one to the other the rest runs beside it.
*/}}
{{- define "cardinal.processes" -}}
{{- $services := (.Files.Get "files/services.yaml" | fromYaml).services -}}
{{- $together := .Values.together -}}
{{- $processes := list -}}
{{- if $together.enabled -}}
{{- $processes = append $processes (dict "name" "gateway" "services" $services "isAll" true) -}}
{{- end -}}
{{- range $service := $services -}}
{{- $isOfAll := and $together.enabled (or (not $together.besideApart) (eq $service.name "gateway")) -}}
{{- if not $isOfAll -}}
{{- $processes = append $processes (dict "name" $service.name "services" (list $service) "isAll" false) -}}
{{- end -}}
{{- end -}}
{{ dict "processes" $processes | toJson }}
{{- end -}}

{{/* A value as a variable's text: whole numbers without an exponent. */}}
{{- define "cardinal.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* The settings of a service by variable, as YAML: what other values say, and its own `env`. Takes `root`, `name`. */}}
{{- define "cardinal.settings" -}}
{{- $values := .root.Values -}}
{{- $settings := dict -}}
{{- if eq .name "attachment" -}}
{{- if $values.local -}}
{{- /* Where `kubectl port-forward` brings it. */ -}}
{{- $settings = dict "STORAGE_URL" "file:///files" "PUBLIC_URL" "http://127.0.0.1:8081" -}}
{{- else if $values.hosts.files -}}
{{- $_ := set $settings "PUBLIC_URL" (printf "https://%s" $values.hosts.files) -}}
{{- end -}}
{{- else if and (eq .name "gateway") $values.jwks.name -}}
{{- $_ := set $settings "JWKS_FILE" "/etc/cardinal/keys/jwks.json" -}}
{{- end -}}
{{- range $variable, $value := (index $values.services .name | default dict).env -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $settings $variable (include "cardinal.text" $value) -}}
{{- end -}}
{{- end -}}
{{ toYaml $settings }}
{{- end -}}

{{- define "cardinal.usesBucket" -}}
{{- $storage := (include "cardinal.settings" (dict "root" . "name" "attachment") | fromYaml).STORAGE_URL | default "" -}}
{{- if hasPrefix "s3:" $storage -}}yes{{- end -}}
{{- end -}}

{{/* The variables of one service. Takes `root`, `service`, and what stands before each name as `prefix`. */}}
{{- define "cardinal.variables" -}}
{{- $secret := include "cardinal.secretOf" (dict "root" .root "name" .service.name) -}}
{{ include "cardinal.fromSecret" (dict "variable" (printf "%sNATS_URL" .prefix) "secret" $secret "key" "NATS_URL") }}
{{- if .service.database }}
{{ include "cardinal.fromSecret" (dict "variable" (printf "%sDATABASE_URL" .prefix) "secret" $secret "key" "DATABASE_URL") }}
{{- end }}
{{- range .service.secrets }}
{{- /* The AWS SDK reads its own variables itself, without a name before them. */}}
{{- $isOfSdk := hasPrefix "AWS_" .name }}
{{- if or (not $isOfSdk) (include "cardinal.usesBucket" $.root) }}
{{ include "cardinal.fromSecret" (dict "variable" (printf "%s%s" (ternary "" $.prefix $isOfSdk) .name) "secret" $secret "key" .name "optional" .optional) }}
{{- end }}
{{- end }}
{{- range $variable, $value := include "cardinal.settings" (dict "root" .root "name" .service.name) | fromYaml }}
- { name: {{ ternary "" $.prefix (hasPrefix "AWS_" $variable) }}{{ $variable }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}
