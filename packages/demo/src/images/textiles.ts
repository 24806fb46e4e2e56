import { box, disc, FLOOR, faded, type Motif, shape, stroke, times } from './shapes.ts'

const fringe = (x: number, y: number, count: number, colour: string) =>
  times(count, (index) => stroke(`M${x + index * 20} ${y} L${x + index * 20 - 3} ${y + 30}`, colour, 6))

export const blanket: Motif = ({ main, dark, light, accent }) =>
  [
    box(190, 500, 420, 130, dark, 46),
    box(190, 490, 420, 130, main, 46),
    box(200, 380, 400, 130, dark, 46),
    box(200, 370, 400, 130, light, 46),
    box(210, 260, 380, 130, dark, 46),
    box(210, 250, 380, 130, main, 46),
    box(300, 250, 34, 130, accent),
    box(348, 250, 12, 130, light),
    box(470, 250, 34, 130, accent),
    box(290, 490, 34, 130, accent),
    box(338, 490, 12, 130, light),
    box(480, 490, 34, 130, accent),
    fringe(240, 618, 17, main),
    faded(0.3, box(236, 266, 320, 12, '#ffffff', 6), box(226, 386, 340, 12, '#ffffff', 6)),
  ].join('')

export const cushion: Motif = ({ main, dark, light, accent }) =>
  [
    shape(
      'M200 260 C260 280 540 280 600 240 C584 320 590 540 620 620 C540 590 270 590 190 640 C220 540 216 340 200 260 Z',
      dark,
    ),
    shape(
      'M196 250 C260 272 540 272 604 232 C586 316 590 530 616 608 C540 582 266 582 186 628 C216 530 214 336 196 250 Z',
      main,
    ),
    stroke(
      'M214 330 C340 346 470 346 594 316 M216 420 C340 434 470 434 592 404 M210 510 C340 520 470 520 598 496',
      light,
      18,
    ),
    stroke('M216 372 C340 388 470 388 592 358 M214 464 C340 476 470 476 594 450', accent, 8),
    disc(196, 250, 14, accent),
    disc(604, 232, 14, accent),
    disc(616, 608, 14, accent),
    disc(186, 628, 14, accent),
  ].join('')

export const sweater: Motif = ({ main, dark, light }) =>
  [
    shape('M280 230 L180 300 L130 560 L215 585 L262 420 Z', dark),
    shape('M520 230 L620 300 L670 560 L585 585 L538 420 Z', dark),
    shape(`M290 215 C330 250 470 250 510 215 L560 260 L545 ${FLOOR} L255 ${FLOOR} L240 260 Z`, main),
    box(252, 606, 296, 34, dark, 8),
    box(128, 548, 90, 36, main, 8),
    box(582, 548, 90, 36, main, 8),
    shape('M310 205 C340 262 460 262 490 205 C470 196 330 196 310 205 Z', dark),
    times(5, (row) =>
      times(9 - (row % 2), (index) => {
        const x = 285 + index * 29 + (row % 2) * 14
        return stroke(`M${x - 8} ${330 + row * 50} L${x} ${342 + row * 50} L${x + 8} ${330 + row * 50}`, light, 6)
      }),
    ),
  ].join('')

export const beanie: Motif = ({ main, dark, light, accent }) =>
  [
    disc(400, 200, 52, accent),
    faded(0.4, disc(384, 184, 18, '#ffffff')),
    shape('M200 500 C190 300 290 220 400 220 C510 220 610 300 600 500 Z', main),
    stroke('M300 490 C296 380 320 290 360 240 M400 490 L400 232 M500 490 C504 380 480 290 440 240', dark, 7),
    stroke(
      'M250 490 C246 400 262 330 300 280 M350 490 C348 400 356 310 378 244 M450 490 C452 400 444 310 422 244 M550 490 C554 400 538 330 500 280',
      light,
      5,
    ),
    box(176, 480, 448, 130, dark, 34),
    box(176, 474, 448, 126, main, 34),
    times(21, (index) => box(194 + index * 20, 486, 7, 102, dark, 3)),
  ].join('')

export const towel: Motif = ({ main, dark, light, accent }) =>
  [
    box(180, 170, 440, 22, '#a97c50', 11),
    box(240, 176, 320, 440, main, 10),
    shape('M240 186 L300 186 L300 616 L250 616 Q240 616 240 606 Z', dark),
    box(240, 470, 320, 26, accent),
    box(240, 510, 320, 10, light),
    box(240, 534, 320, 26, accent),
    fringe(256, 614, 15, light),
    faded(0.3, stroke('M400 210 L400 450 M480 210 L480 450', light, 6)),
  ].join('')

export const tote: Motif = ({ main, dark, light, accent }) =>
  [
    stroke('M310 330 C310 140 490 140 490 330', dark, 24),
    shape(
      `M230 310 L570 310 L600 ${FLOOR - 16} Q600 ${FLOOR} 584 ${FLOOR} L216 ${FLOOR} Q200 ${FLOOR} 200 ${FLOOR - 16} Z`,
      main,
    ),
    shape(
      `M215 500 L585 500 L600 ${FLOOR - 16} Q600 ${FLOOR} 584 ${FLOOR} L216 ${FLOOR} Q200 ${FLOOR} 200 ${FLOOR - 16} Z`,
      accent,
    ),
    box(222, 310, 356, 20, dark),
    stroke('M310 334 L310 500 M490 334 L490 500', dark, 24),
    faded(0.6, stroke('M228 520 L572 520', light, 4)),
    stroke('M370 400 L400 370 L430 400 M400 372 L400 460 M362 436 C370 462 430 462 438 436', light, 10),
  ].join('')

export const socks: Motif = ({ main, dark, light, accent }) => {
  const one = (x: number, y: number, body: string, toe: string) =>
    [
      shape(
        `M${x} ${y} L${x + 110} ${y} L${x + 110} ${y + 240} C${x + 112} ${y + 300} ${x + 240} ${y + 300} ${x + 240} ${y + 360} C${x + 240} ${y + 410} ${x + 100} ${y + 410} ${x + 50} ${y + 380} C${x + 4} ${y + 350} ${x} ${y + 300} ${x} ${y + 240} Z`,
        body,
      ),
      shape(
        `M${x + 180} ${y + 304} C${x + 220} ${y + 320} ${x + 240} ${y + 334} ${x + 240} ${y + 360} C${x + 240} ${y + 392} ${x + 190} ${y + 404} ${x + 150} ${y + 402} C${x + 150} ${y + 360} ${x + 160} ${y + 330} ${x + 180} ${y + 304} Z`,
        toe,
      ),
      box(x - 4, y - 6, 118, 54, toe, 10),
      times(3, (index) => box(x, y + 84 + index * 44, 110, 16, index % 2 ? light : accent)),
    ].join('')
  return one(330, 190, dark, accent) + one(210, 220, main, dark)
}
