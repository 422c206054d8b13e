// get_image_width and the like: fields of the descriptor.
//! uses: image

FN RESULT NAME(weft_image handle) {
    weft_description image = DESCRIPTION(handle);
    return VALUE;
}
