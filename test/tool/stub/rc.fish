# What test/system/typed.bats gives fish to start with; @TOP@ is the top folder.
function fish_prompt; printf '$ '; end
function fish_right_prompt; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
source @TOP@/completions/dq.fish
