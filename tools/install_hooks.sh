#!/bin/bash
# Makes git run tools/pre_commit.sh before each commit of this clone; --remove undoes it.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in '' | --remove) ;; *) sed -n '2s/^# *//p' "$0" >&2; exit 2 ;; esac
hooks=$(git rev-parse --git-path hooks)
hook=$hooks/pre-commit
mark='# comshu: tools/install_hooks.sh'
if [ -e "$hook" ] && ! grep -qF "$mark" "$hook"; then
    echo "install_hooks: $hook is not ours; have it run tools/pre_commit.sh, or move it away" >&2
    exit 1
fi
if [ "${1:-}" = --remove ]; then
    rm -f "$hook"
    exit
fi
mkdir -p "$hooks"
cat >"$hook" <<EOF
#!/bin/bash
$mark
script=\$(git rev-parse --show-toplevel)/tools/pre_commit.sh
[ ! -x "\$script" ] || exec "\$script"
EOF
chmod +x "$hook"
echo "install_hooks: $hook runs tools/pre_commit.sh"
