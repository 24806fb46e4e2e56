import { box, disc, FLOOR, faded, type Motif, oval, shape, stroke, times, turned } from './shapes.ts'

const steam = faded(0.55, stroke('M350 230 C330 195 372 175 350 135 M420 230 C400 195 442 175 420 135', '#ffffff', 12))

export const mug: Motif = ({ main, dark, light }) =>
  [
    steam,
    stroke('M500 350 C610 340 610 520 490 520', dark, 40),
    stroke('M500 350 C600 342 600 514 490 516', main, 28),
    shape(`M250 270 L530 270 L515 600 Q510 ${FLOOR} 470 ${FLOOR} L310 ${FLOOR} Q270 ${FLOOR} 265 600 Z`, main),
    shape(`M262 520 L518 520 L515 600 Q510 ${FLOOR} 470 ${FLOOR} L310 ${FLOOR} Q270 ${FLOOR} 265 600 Z`, dark),
    oval(390, 270, 140, 30, light),
    oval(390, 274, 118, 21, '#5b3d2b'),
    faded(0.4, box(286, 320, 20, 180, '#ffffff', 10)),
  ].join('')

export const teapot: Motif = ({ main, dark, light, wood }) =>
  [
    stroke('M250 330 C250 150 550 150 550 330', wood, 24),
    shape('M520 470 C600 450 600 380 650 340 L676 366 C650 420 650 520 530 560 Z', dark),
    shape(
      `M400 330 C560 330 600 430 580 530 C570 600 520 ${FLOOR} 400 ${FLOOR} C280 ${FLOOR} 230 600 220 530 C200 430 240 330 400 330 Z`,
      main,
    ),
    shape(
      'M222 530 C232 600 280 640 400 640 C520 640 568 600 578 530 C540 570 480 584 400 584 C320 584 260 570 222 530 Z',
      dark,
    ),
    oval(400, 340, 110, 26, dark),
    shape('M300 336 C320 300 480 300 500 336 C470 352 330 352 300 336 Z', main),
    disc(400, 296, 22, wood),
    faded(0.4, shape('M280 400 C300 370 340 356 370 354 C320 380 290 440 290 510 C262 470 262 430 280 400 Z', light)),
  ].join('')

export const pan: Motif = ({ main, dark, light, wood }) =>
  turned(
    -28,
    400,
    400,
    box(560, 376, 230, 48, wood, 24),
    box(540, 384, 70, 32, dark, 8),
    disc(350, 400, 226, dark),
    disc(350, 396, 222, main),
    disc(350, 398, 178, dark),
    disc(350, 400, 172, main),
    faded(0.35, stroke('M230 330 C250 280 300 250 350 246', light, 14)),
    disc(750, 400, 9, '#00000044'),
  )

export const board: Motif = ({ main, dark, light, accent }) =>
  [
    turned(
      -8,
      400,
      420,
      box(240, 220, 320, 420, dark, 40),
      box(240, 210, 320, 420, main, 40),
      box(360, 120, 80, 130, main, 36),
      disc(400, 165, 18, dark),
      faded(
        0.35,
        stroke(
          'M290 270 C320 380 280 480 300 590 M360 260 C390 380 350 500 370 600 M440 260 C460 360 430 470 450 600 M510 280 C520 380 500 480 512 590',
          light,
          5,
        ),
      ),
    ),
    disc(470, 560, 62, '#c8452f'),
    disc(450, 542, 16, '#e27a63'),
    shape('M470 500 C460 480 480 470 500 474 C496 492 486 500 470 500 Z', accent),
    disc(365, 585, 46, '#d9683d'),
    disc(352, 572, 11, '#ee9a78'),
  ].join('')

export const knife: Motif = ({ main, dark, metal }) =>
  turned(
    -40,
    400,
    400,
    shape('M150 350 L520 350 L520 440 C380 452 220 440 150 350 Z', '#dfe5e7'),
    shape('M150 350 L520 350 L520 378 L180 378 Z', '#f3f6f7'),
    box(510, 346, 26, 96, metal, 4),
    box(532, 352, 210, 78, dark, 26),
    box(532, 346, 210, 76, main, 26),
    disc(580, 384, 9, metal),
    disc(640, 384, 9, metal),
    disc(700, 384, 9, metal),
  )

export const bowls: Motif = ({ main, dark, light, accent }) => {
  const bowl = (y: number, across: number, body: string, side: string) =>
    [
      shape(
        `M${400 - across} ${y} C${400 - across} ${y + 130} ${400 - across * 0.5} ${y + 150} 400 ${y + 150} C${400 + across * 0.5} ${y + 150} ${400 + across} ${y + 130} ${400 + across} ${y} Z`,
        body,
      ),
      oval(400, y, across, 26, side),
      oval(400, y + 5, across - 18, 18, '#00000022'),
    ].join('')
  return [
    bowl(490, 230, main, light),
    bowl(400, 196, accent, '#f1e9da'),
    bowl(320, 164, dark, main),
    faded(0.3, stroke('M206 520 C214 570 240 600 280 618', '#ffffff', 14)),
  ].join('')
}

export const bottle: Motif = ({ main, dark, light, accent, wood }) =>
  [
    box(372, 130, 56, 40, wood, 10),
    box(366, 164, 68, 90, dark, 10),
    shape(
      `M366 250 C366 310 300 320 300 390 L300 600 Q300 ${FLOOR} 340 ${FLOOR} L460 ${FLOOR} Q500 ${FLOOR} 500 600 L500 390 C500 320 434 310 434 250 Z`,
      main,
    ),
    box(300, 420, 200, 140, '#f6efdf'),
    box(330, 450, 140, 12, accent, 6),
    box(345, 480, 110, 8, '#b9ad97', 4),
    box(345, 504, 110, 8, '#b9ad97', 4),
    faded(0.45, box(318, 380, 16, 230, light, 8)),
  ].join('')

export const cloth: Motif = ({ main, dark, light, accent }) =>
  [
    shape(
      `M230 200 L570 200 L560 ${FLOOR - 20} C520 ${FLOOR} 480 ${FLOOR - 40} 440 ${FLOOR - 10} C400 ${FLOOR} 360 ${FLOOR - 40} 320 ${FLOOR - 10} C290 ${FLOOR} 260 ${FLOOR - 20} 240 ${FLOOR - 20} Z`,
      main,
    ),
    shape('M400 200 L570 200 L560 620 C520 640 480 600 440 630 C424 636 410 630 400 626 Z', dark),
    times(4, (index) => box(235 + index * 2, 290 + index * 66, 330 - index * 5, 18, index % 2 ? accent : light)),
    box(170, 180, 460, 30, '#a97c50', 15),
    disc(170, 195, 24, '#8f6640'),
    disc(630, 195, 24, '#8f6640'),
  ].join('')
