# browser.sh PAGE CHECKS SCHEME [PICTURE VIEW]: opens the page in Chromium as it is, with a script of checks behind its own, and prints what that
# says; draws a picture of a view besides. The scheme is light or dark.
set -e
page=$1 checks=$2 scheme=$3 picture=$4 view=$5
profile=$(mktemp -d ./chromium.XXXXXX)
trap 'rm -rf "$profile" "$profile.html"' EXIT
case $scheme in dark) preferred=0 ;; *) preferred=1 ;; esac
# Root has no sandbox, and there is no network to be asked.
browser="chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir=$profile \
  --host-resolver-rules=MAP*~NOTFOUND --blink-settings=preferredColorScheme=$preferred --window-size=1400,900 --virtual-time-budget=20000"
{ cat "$page"; echo '<script>'; echo "const wantedScheme = '$scheme';"; cat "$checks"; echo '</script>'; } > "$profile.html"
timeout 100 $browser --dump-dom "file://$(realpath "$profile.html")" 2> "$profile/err" > "$profile/dom" || { cat "$profile/err"; exit 1; }
awk -v RS='<pre id="outcome">' 'NR == 2 { sub(/<\/pre>.*/, ""); print }' "$profile/dom"
if [ -n "$picture" ]; then
  timeout 100 $browser --screenshot="$(realpath .)/$picture" "file://$(realpath "$page")#$view" 2> "$profile/err" || { cat "$profile/err"; exit 1; }
fi
