const WAVES = Array.from({ length: 15 }, (_, at) => ({
  y: 470 + 14 * at + 2.1 * at ** 2,
  height: 1.5 + 0.9 * at,
  shift: -((37 * at) % 90),
}))

const wave = (y: number, height: number) => `M-40 ${y.toFixed(1)}${`q22.5 ${-height} 45 0t45 0`.repeat(11)}`

/** The harbour of the sign-in page. */
export const Harbour = () => (
  <div className="view" aria-hidden="true">
    <svg viewBox="0 0 800 900" preserveAspectRatio="xMidYMid slice">
      <path className="sky" d="M0 120H800M0 190H800M0 260H800M0 330H800M0 400H800" />
      <circle className="sun" cx="300" cy="452" r="92" />
      <path className="sea-ground" d="M0 456h800v444H0z" />
      <g className="sea">
        <path d="M0 456H800" />
        {WAVES.map(({ y, height, shift }) => (
          <path key={y} d={wave(y, height)} transform={`translate(${shift} 0)`} />
        ))}
      </g>
      <g className="land">
        <path d="M520 456c30-34 96-44 280-34v34z" />
        <path d="M612 262h36l16 164h-68z" />
        <path className="red" d="M607.500 308h45l3.200 36h-51.400zM600.500 384h59l3.200 34h-65.400z" />
        <path d="M606 234h48v28h-48zM598 262h64" />
        <path className="red" d="M602 234c6-26 50-26 56 0z" />
        <path d="M630 214v-16M682 421v-32l26-20 26 20v32M702 420v-16h12v16" />
        <path d="M196 548V420" />
        <path d="M192 432v96h-62z" />
        <path d="M202 446v82h44z" />
        <path d="M116 548h150l-16 30H134z" />
        <path className="red" d="M123 556h139l-3 6H126z" />
      </g>
    </svg>
  </div>
)
