{{/* What every object of a name is labelled with. */}}
{{- define "cardinal.labels" -}}
app.kubernetes.io/name: {{ . }}
app.kubernetes.io/part-of: cardinal
{{- end -}}

{{/* What every pod of ours has; nothing here talks to the API server. */}}
{{- define "cardinal.pod" -}}
automountServiceAccountToken: false
# Else every Service would be in the environment under names of its own.
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* What every container has. */}}
{{- define "cardinal.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* A variable out of a Secret. Takes `variable`, `secret`, `key`, `optional`. */}}
{{- define "cardinal.fromSecret" -}}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} } }
{{- end -}}

{{/* The Secret of a service. Takes `root`, `name`. */}}
{{- define "cardinal.secretOf" -}}
{{ (index .root.Values.services .name | default dict).secret | default (printf "%s-credentials" .name) }}
{{- end -}}

{{/*
Variables by which a process trusts the servers. Takes `root`, `nats`, `postgres`: whether it trusts each, and `noDatabase`
where it has no DATABASE_URL.
*/}}
{{- define "cardinal.trust" -}}
{{- $nats := and .nats .root.Values.nats.ca.name -}}
{{- $postgres := and .postgres .root.Values.postgres.ca.name -}}
{{- if $nats }}
- { name: NATS_CA, value: /etc/cardinal/authorities/nats.crt }
{{- end }}
{{- if and .postgres (not .noDatabase) (or .root.Values.postgres.tls $postgres) }}
# Of the Postgres client, where DATABASE_URL has no sslmode: TLS, with a certificate of the right host.
- { name: PGSSLMODE, value: verify-full }
{{- end }}
{{- if $postgres }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/cardinal/authorities/postgres.crt }
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The files that these variables name, as volume and as mount. Takes the same. */}}
{{- define "cardinal.authorities" -}}
{{- $sources := list -}}
{{- range $server := list "nats" "postgres" -}}
{{- $ca := (index $.root.Values $server).ca -}}
{{- if and (index $ $server) $ca.name -}}
{{- $items := list (dict "key" ($ca.key | default "ca.crt") "path" (printf "%s.crt" $server)) -}}
{{- $kind := ternary "configMap" "secret" (eq ($ca.kind | default "Secret") "ConfigMap") -}}
{{- $sources = append $sources (dict $kind (dict "name" $ca.name "items" $items)) -}}
{{- end -}}
{{- end -}}
{{- if $sources -}}
- name: authorities
  projected:
    sources: {{- toYaml $sources | nindent 6 }}
{{- end -}}
{{- end -}}
{{- define "cardinal.authoritiesMount" -}}
{{- if include "cardinal.authorities" . -}}
- { name: authorities, mountPath: /etc/cardinal/authorities, readOnly: true }
{{- end -}}
{{- end -}}

{{/*
A Job that runs once for what it is: its name ends with a hash of all that it does, since a Job's template cannot be changed.
What was done already it leaves alone. Takes `root`, `name`, `label`, `image`, `program`, `env`, `nats`, `postgres`.
*/}}
{{- define "cardinal.job" -}}
{{- $spec := include "cardinal.jobSpec" . -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}-{{ sha256sum $spec | trunc 10 }}
  labels: {{- include "cardinal.labels" .label | nindent 4 }}
spec:
  {{- $spec | nindent 2 }}
{{- end -}}

{{- define "cardinal.jobSpec" -}}
# For ten minutes, with growing pauses: Postgres and NATS may be starting too.
backoffLimit: 6
# A migration is one transaction: one that is cut short leaves nothing.
activeDeadlineSeconds: 3600
ttlSecondsAfterFinished: 604800
template:
  metadata:
    labels: {{- include "cardinal.labels" .label | nindent 6 }}
  spec:
    {{- include "cardinal.once" . | nindent 4 }}
{{- end -}}

{{/* The pod of what runs once. Takes the same, and `memory`. */}}
{{- define "cardinal.once" -}}
restartPolicy: Never
serviceAccountName: deploy
{{ include "cardinal.pod" .root }}
containers:
  - name: once
    image: {{ .image }}
    imagePullPolicy: {{ include "cardinal.pullPolicy" .root }}
    args: [{{ .program }}]
    env:
      {{- .env | nindent 6 }}
      {{- with include "cardinal.trust" . | trim }}{{ . | nindent 6 }}{{ end }}
    resources:
      requests: { cpu: 100m, memory: 128Mi }
      limits: { memory: {{ .memory | default "512Mi" }} }
    {{- include "cardinal.container" . | nindent 4 }}
    {{- with include "cardinal.authoritiesMount" . }}
    volumeMounts: {{- . | nindent 6 }}
    {{- end }}
{{- with include "cardinal.authorities" . }}
volumes: {{- . | nindent 2 }}
{{- end }}
{{- end -}}
