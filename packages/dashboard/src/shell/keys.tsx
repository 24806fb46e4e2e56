const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** `mod+k` as this machine writes it. */
export const Keys = ({ keys }: { keys: string }) =>
  keys
    .split(' ')
    .map((key) => (
      <kbd key={key}>
        {key
          .replace('mod+', isMac ? '⌘ ' : 'Ctrl ')
          .replace(/[a-z]$/, (letter) => (key.includes('+') ? letter.toUpperCase() : letter))}
      </kbd>
    ))
