{{/* The reference of an image. Takes `root`, `name`, and its own values as `image`. */}}
{{- define "cardinal.image" -}}
{{- $own := .image | default dict -}}
{{- $name := printf "%s/%s" (.root.Values.image.registry | default "cardinal") ($own.repository | default .name) -}}
{{- $tag := $own.tag | default .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- if $own.digest -}}
{{ printf "%s@%s" $name $own.digest }}
{{- else if eq $tag "latest" -}}
{{ fail (printf "the tag of %s is latest: take an exact one, nobody can go back to this" $name) }}
{{- else -}}
{{ printf "%s:%s" $name $tag }}
{{- end -}}
{{- end -}}

{{/* Without a registry the name is nobody's: nodes have the image already, and none is fetched from strangers. */}}
{{- define "cardinal.pullPolicy" -}}
{{ ternary "IfNotPresent" "Never" (ne (.Values.image.registry | default "") "") }}
{{- end -}}

{{/* Which image has a service's code: its own, or that of all. Takes `root`, `name`. */}}
{{- define "cardinal.imageOf" -}}
{{- if .root.Values.together.enabled -}}
{{ include "cardinal.image" (dict "root" .root "name" "all" "image" .root.Values.together.image) }}
{{- else -}}
{{ include "cardinal.image" (dict "root" .root "name" .name "image" (index .root.Values.services .name | default dict).image) }}
{{- end -}}
{{- end -}}
