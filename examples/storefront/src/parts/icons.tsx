const PATHS = {
  search: 'M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13ZM15.5 15.5 20 20',
  cart: 'M4 5h2l2.2 10.2h9.3L20 8H7M9.5 19.5h.01M16.5 19.5h.01',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20c1-3.6 4-5.5 7.5-5.5s6.5 1.9 7.5 5.5',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  arrow: 'M5 12h14m-6-6 6 6-6 6',
  close: 'm6 6 12 12M18 6 6 18',
  sliders: 'M4 8h9m4 0h3M4 16h3m4 0h9M15 5.5v5M9 13.5v5',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
  anchor: 'M12 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM12 7.5V21M8 11h8M4 14c.6 4 3.8 7 8 7s7.4-3 8-7',
} as const

export const Icon = ({ name }: { name: keyof typeof PATHS }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
