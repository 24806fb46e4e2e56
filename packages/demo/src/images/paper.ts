import { box, disc, FLOOR, faded, type Motif, shape, stroke, times, turned } from './shapes.ts'

export const notebook: Motif = ({ main, dark, light, accent, paper }) =>
  turned(
    -7,
    400,
    400,
    box(258, 168, 316, 456, '#00000018', 18),
    box(250, 160, 310, 450, paper, 14),
    box(240, 150, 310, 450, main, 16),
    box(240, 150, 44, 450, dark, 16),
    box(494, 150, 14, 450, accent),
    box(324, 250, 140, 90, '#f7f0e1', 6),
    box(344, 274, 100, 9, '#b9ad97', 4),
    box(344, 300, 70, 9, '#b9ad97', 4),
    faded(0.35, stroke('M300 180 L480 180', light, 6)),
    stroke('M420 600 L420 650 L436 636 L452 650 L452 600', accent, 4),
  )

export const pencils: Motif = ({ main, dark, accent, wood, metal }) => {
  const one = (x: number, top: number, angle: number, colour: string) =>
    turned(
      angle,
      x,
      520,
      box(x - 17, top + 50, 34, 330, colour),
      box(x - 17, top + 50, 11, 330, '#ffffff33'),
      shape(`M${x - 17} ${top + 52} L${x} ${top} L${x + 17} ${top + 52} Z`, '#ecd3ab'),
      shape(`M${x - 6} ${top + 18} L${x} ${top} L${x + 6} ${top + 18} Z`, '#3a3a3a'),
    )
  return [
    one(330, 150, -10, accent),
    one(400, 120, 1, main),
    one(470, 160, 11, wood),
    one(365, 190, -4, '#d9b451'),
    one(440, 190, 6, dark),
    shape(`M280 420 L520 420 L505 ${FLOOR} L295 ${FLOOR} Z`, metal),
    shape(`M280 420 L340 420 L348 ${FLOOR} L295 ${FLOOR} Z`, '#ffffff44'),
    box(272, 408, 256, 26, '#ffffff88', 12),
  ].join('')
}

export const cards: Motif = ({ main, dark, accent, paper }) =>
  [
    turned(
      8,
      400,
      400,
      box(210, 210, 400, 280, paper, 8),
      box(232, 232, 356, 236, main, 4),
      shape('M232 420 C320 360 400 440 588 380 L588 468 L232 468 Z', dark),
      disc(510, 300, 36, '#f6d98a'),
    ),
    turned(
      -6,
      400,
      480,
      box(190, 330, 420, 290, '#efe3cb', 8),
      shape('M190 338 L400 490 L610 338 L610 330 L190 330 Z', '#e2d2b3'),
      stroke('M192 336 L400 490 L608 336', '#cdb991', 4),
      disc(400, 486, 34, accent),
      disc(400, 486, 22, '#00000022'),
    ),
  ].join('')

export const chart: Motif = ({ main, dark, accent, paper }) =>
  [
    box(200, 180, 400, 440, paper),
    box(222, 202, 356, 396, '#dfeaea'),
    shape('M222 202 L380 202 C360 260 420 290 390 350 C360 410 290 400 270 470 C256 520 240 540 222 548 Z', '#e7d7ae'),
    shape('M578 380 C540 400 520 450 540 500 C550 540 520 580 500 598 L578 598 Z', '#e7d7ae'),
    stroke('M270 560 C340 540 380 480 430 470 C490 456 500 380 520 300', accent, 5),
    faded(
      0.5,
      stroke('M222 300 L578 300 M222 400 L578 400 M222 500 L578 500 M320 202 L320 598 M440 202 L440 598', '#a9bfc2', 2),
    ),
    turned(
      0,
      470,
      280,
      disc(490, 270, 46, '#ffffffaa'),
      shape('M490 228 L500 270 L490 312 L480 270 Z', dark),
      shape('M448 270 L490 260 L532 270 L490 280 Z', main),
    ),
    box(180, 160, 440, 34, '#a97c50', 17),
    box(180, 606, 440, 34, '#a97c50', 17),
  ].join('')

export const inkwell: Motif = ({ main, dark, light, metal, paper }) =>
  [
    turned(
      32,
      520,
      330,
      box(508, 90, 26, 330, dark, 12),
      box(504, 250, 34, 70, metal, 8),
      shape('M508 420 L534 420 L521 490 Z', metal),
    ),
    shape(
      `M270 420 L530 420 Q560 420 560 460 L560 600 Q560 ${FLOOR} 520 ${FLOOR} L280 ${FLOOR} Q240 ${FLOOR} 240 600 L240 460 Q240 420 270 420 Z`,
      '#dfe9ec',
    ),
    shape(
      `M252 490 L548 490 L548 598 Q548 ${FLOOR - 12} 516 ${FLOOR - 12} L284 ${FLOOR - 12} Q252 ${FLOOR - 12} 252 598 Z`,
      main,
    ),
    box(330, 370, 140, 56, dark, 12),
    box(320, 352, 160, 34, main, 12),
    box(310, 510, 180, 90, paper, 6),
    box(334, 534, 132, 9, '#b9ad97', 4),
    box(350, 560, 100, 9, '#b9ad97', 4),
    faded(0.6, box(262, 440, 14, 170, light, 7)),
  ].join('')

export const calendar: Motif = ({ main, dark, light, accent, paper }) =>
  [
    stroke('M300 210 L400 130 L500 210', dark, 6),
    box(230, 200, 340, 430, '#00000018', 8),
    box(224, 192, 340, 430, paper, 8),
    box(224, 192, 340, 180, main, 8),
    shape('M224 330 C300 280 360 340 430 310 C490 286 530 300 564 320 L564 372 L224 372 Z', dark),
    disc(490, 250, 30, light),
    times(4, (row) =>
      times(6, (column) =>
        disc(262 + column * 53, 420 + row * 50, 11, (row * 6 + column) % 7 === 3 ? accent : '#d8cdb8'),
      ),
    ),
  ].join('')
