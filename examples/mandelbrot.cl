/* One work-item renders one pixel of the Mandelbrot set from SAMPLES x SAMPLES points. Each point is iterated
 * in double precision together with its derivative: the direction of z / z' is the slope of the potential
 * around the set, and lit from the side it makes the filaments stand out like embossed metal. */

#ifndef SAMPLES
#define SAMPLES 3
#endif

#define BAILOUT 1.0e5

typedef struct {
    double centre_x, centre_y;
    double pixel;           /* width of a pixel in the plane */
    int width, height;      /* of the picture, in pixels */
    int limit;              /* iterations after which a point counts as inside */
    int colours;            /* entries of the palette */
    float cycle, phase;     /* colours pass once for each factor e^cycle of iterations */
    float light_x, light_y; /* direction of the light, of length 1 */
} View;

typedef struct {
    float red, green, blue;
} Colour;

/* A closed loop through the colours of the palette; t wraps around at 1. */
static Colour colour_at(__constant Colour *palette, int colours, float t)
{
    float place = (t - floor(t)) * (float)colours;
    int left = min((int)place, colours - 1);
    int right = left + 1 == colours ? 0 : left + 1;
    float weight = place - (float)left;
    weight = weight * weight * (3.0f - 2.0f * weight);
    Colour colour;
    colour.red = mix(palette[left].red, palette[right].red, weight);
    colour.green = mix(palette[left].green, palette[right].green, weight);
    colour.blue = mix(palette[left].blue, palette[right].blue, weight);
    return colour;
}

/* The light that the point (cx, cy) of the plane sends out. */
static Colour shade(double cx, double cy, View view, __constant Colour *palette)
{
    double x = 0.0, y = 0.0, dx = 0.0, dy = 0.0, xx = 0.0, yy = 0.0;
    int n = 0;
    while (n < view.limit && xx + yy < BAILOUT) {
        double next_dx = 2.0 * (x * dx - y * dy) + 1.0;
        dy = 2.0 * (x * dy + y * dx);
        dx = next_dx;
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        n++;
    }
    Colour colour = {0.0f, 0.0f, 0.0f};
    if (n == view.limit)
        return colour;

    /* A count without steps: how far beyond the bail-out radius the last iteration went. */
    float smooth = (float)n + 1.0f - log2(0.5f * log((float)(xx + yy)));
    colour = colour_at(palette, view.colours, view.phase + log(smooth) / view.cycle);

    /* (x + iy) / (dx + idy), turned to length 1: the slope; the scale keeps it within the range of float. */
    double scale = 1.0 / (fabs(dx) + fabs(dy));
    float ux = (float)((x * dx + y * dy) * scale), uy = (float)((y * dx - x * dy) * scale);
    float height = 1.4f;
    float facing = (ux * view.light_x + uy * view.light_y) * rsqrt(ux * ux + uy * uy);
    float light = max((facing + height) / (1.0f + height), 0.0f);
    float gloss = light * light;
    gloss *= gloss;
    gloss *= gloss;
    float diffuse = 0.25f + 0.8f * light, shine = 0.4f * gloss * gloss;
    colour.red = colour.red * diffuse + (colour.red + 0.08f) * shine;
    colour.green = colour.green * diffuse + (colour.green + 0.08f) * shine;
    colour.blue = colour.blue * diffuse + (colour.blue + 0.08f) * shine;
    return colour;
}

/* Light as a byte of sRGB. */
static uint encode(float light)
{
    light = clamp(light, 0.0f, 1.0f);
    float encoded = light < 0.0031308f ? 12.92f * light : 1.055f * powr(light, 1.0f / 2.4f) - 0.055f;
    return (uint)(255.0f * encoded + 0.5f);
}

__kernel void mandelbrot(__global uint *picture, __constant Colour *palette, View view)
{
    int column = (int)get_global_id(0), row = (int)get_global_id(1);
    double left = view.centre_x + view.pixel * ((double)column - 0.5 * (double)view.width);
    double top = view.centre_y - view.pixel * ((double)row - 0.5 * (double)view.height);

    float red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            /* Samples of a row are shifted against those of the next, so that no two share a column. */
            double right = ((double)i + ((double)j + 0.5) / SAMPLES) / SAMPLES;
            double down = ((double)j + ((double)i + 0.5) / SAMPLES) / SAMPLES;
            Colour sample = shade(left + view.pixel * right, top - view.pixel * down, view, palette);
            red += sample.red;
            green += sample.green;
            blue += sample.blue;
        }

    float share = 1.0f / (SAMPLES * SAMPLES);
    picture[row * view.width + column] =
        encode(red * share) | encode(green * share) << 8 | encode(blue * share) << 16 | 0xff000000u;
}
