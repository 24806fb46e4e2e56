import { box, disc, FLOOR, faded, type Motif, oval, ring, shape, stroke, times, turned } from './shapes.ts'

export const backpack: Motif = ({ main, dark, light, accent, wood }) =>
  [
    stroke('M350 210 C350 130 450 130 450 210', dark, 22),
    box(190, 400, 60, 200, dark, 26),
    box(550, 400, 60, 200, dark, 26),
    shape(
      `M230 320 C230 220 310 190 400 190 C490 190 570 220 570 320 L580 600 Q580 ${FLOOR} 540 ${FLOOR} L260 ${FLOOR} Q220 ${FLOOR} 220 600 Z`,
      main,
    ),
    shape(
      'M232 300 C236 220 310 190 400 190 C490 190 564 220 568 300 C570 360 500 380 400 380 C300 380 230 360 232 300 Z',
      dark,
    ),
    faded(0.3, shape('M262 290 C270 240 330 212 400 210 C340 226 300 260 290 330 C270 320 260 310 262 290 Z', light)),
    box(280, 430, 240, 170, dark, 24),
    box(280, 424, 240, 166, main, 24),
    box(280, 424, 240, 52, accent, 22),
    box(322, 350, 26, 96, wood, 8),
    box(452, 350, 26, 96, wood, 8),
    box(318, 400, 34, 24, '#d8b25a', 6),
    box(448, 400, 34, 24, '#d8b25a', 6),
  ].join('')

export const thermos: Motif = ({ main, dark, light, metal }) =>
  [
    box(340, 130, 120, 110, metal, 20),
    box(350, 140, 16, 90, '#ffffff66', 8),
    box(330, 226, 140, 30, dark, 8),
    box(310, 250, 180, FLOOR - 250, main, 34),
    box(310, 560, 180, 24, dark),
    faded(0.4, box(332, 290, 20, 250, light, 10)),
    stroke('M490 330 C560 330 560 480 490 480', dark, 20),
    box(360, 380, 80, 80, '#ffffff22', 40),
  ].join('')

export const compass: Motif = ({ main, dark, light, accent, metal }) =>
  [
    ring(400, 170, 40, metal, 16),
    box(378, 200, 44, 40, dark, 8),
    disc(400, 430, 214, dark),
    disc(400, 424, 210, main),
    disc(400, 424, 172, '#f7f1e3'),
    ring(400, 424, 150, '#d9cdb5', 4),
    times(24, (index) =>
      turned(index * 15, 400, 424, box(398, 262, 4, index % 6 ? 14 : 28, index % 6 ? '#b9ad97' : dark, 2)),
    ),
    turned(28, 400, 424, shape('M400 290 L426 424 L374 424 Z', accent), shape('M400 558 L426 424 L374 424 Z', dark)),
    disc(400, 424, 16, light),
  ].join('')

export const axe: Motif = ({ main, dark, wood, metal }) =>
  turned(
    24,
    400,
    400,
    shape('M376 180 L424 180 L420 660 Q400 690 380 660 Z', wood),
    faded(0.25, box(384, 200, 8, 440, '#ffffff', 4)),
    shape(
      'M350 170 L450 170 L450 290 L410 290 C350 300 300 330 230 350 C250 280 250 220 230 150 C290 170 320 176 350 170 Z',
      dark,
    ),
    shape('M230 150 C250 220 250 280 230 350 C246 346 262 340 276 334 C290 280 290 220 272 160 Z', metal),
    box(376, 560, 48, 80, main, 8),
  )

export const tent: Motif = ({ main, dark, light, accent, wood }) =>
  [
    stroke('M400 200 L400 160 M230 640 L180 660 M570 640 L620 660', wood, 10),
    shape(`M400 200 L650 ${FLOOR} L150 ${FLOOR} Z`, main),
    shape(`M400 200 L650 ${FLOOR} L520 ${FLOOR} Z`, dark),
    shape(`M400 320 L470 ${FLOOR} L330 ${FLOOR} Z`, '#3b3a36'),
    shape(`M400 320 L330 ${FLOOR} L300 ${FLOOR} C340 560 380 420 400 320 Z`, light),
    shape('M400 200 L420 218 L400 250 L380 218 Z', accent),
  ].join('')

export const boots: Motif = ({ main, dark, light, accent }) => {
  const one = (x: number, y: number, body: string, side: string) =>
    [
      shape(
        `M${x} ${y} L${x + 150} ${y} L${x + 150} ${y + 250} C${x + 160} ${y + 280} ${x + 290} ${y + 290} ${x + 290} ${y + 370} L${x} ${y + 370} Z`,
        body,
      ),
      shape(`M${x} ${y} L${x + 44} ${y} L${x + 44} ${y + 370} L${x} ${y + 370} Z`, side),
      box(x - 8, y + 360, 306, 34, '#d9c39a', 12),
      box(x - 4, y - 8, 158, 34, accent, 10),
      faded(0.35, box(x + 64, y + 50, 16, 180, light, 8)),
    ].join('')
  return one(330, 210, dark, '#00000033') + one(200, 246, main, dark)
}

export const jacket: Motif = ({ main, dark, light, accent }) =>
  [
    shape('M300 220 L190 270 L140 580 L225 600 L270 410 Z', dark),
    shape('M500 220 L610 270 L660 580 L575 600 L530 410 Z', dark),
    shape(`M310 210 L490 210 L556 260 L550 ${FLOOR} L250 ${FLOOR} L244 260 Z`, main),
    shape('M310 210 C330 150 470 150 490 210 C470 260 330 260 310 210 Z', dark),
    oval(400, 216, 58, 24, '#00000033'),
    box(388, 236, 24, FLOOR - 236, accent),
    times(5, (index) => disc(400, 290 + index * 74, 9, light)),
    box(280, 480, 86, 100, dark, 10),
    box(434, 480, 86, 100, dark, 10),
    box(280, 476, 86, 30, main, 8),
    box(434, 476, 86, 30, main, 8),
  ].join('')
